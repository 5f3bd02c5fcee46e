'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { test } = require('node:test')
const { candidates } = require('../../benchmarks/boost/candidates')
const { at, duels, frontierOf, meanPoint } = require('../../benchmarks/boost/frontier')
const { frontiers, simulatedPage } = require('../../benchmarks/boost/simulated-page')

const PROGRAM = path.join(__dirname, '../../benchmarks/boost/index.js')

const about = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)

function outcome (family, setting, energy, ratio, off = 0) {
  const estimate = [ratio, ratio - off, ratio + off]
  return {
    family,
    setting,
    policies: family,
    usual: true,
    latency_ns: { p50: [1e6, 1e6, 1e6], p99: [2e6, 2e6, 2e6], p999: [1e8 * ratio, 1e8 * (ratio - off), 1e8 * (ratio + off)] },
    ratio: { p50: estimate, p99: estimate, p999: estimate },
    energy: [energy, energy, energy],
    shares: [1, 0, 0],
    boosts_per_s: 3,
    utilisation: 0.45
  }
}

const app = (name, outcomes) => ({ app: name, requests: 10_000, seconds: 60, load: 1, outcomes })

test('a frontier leaves out what another beats', () => {
  const points = [[1.2, 0.8], [1.1, 0.9], [1.3, 0.85], [1.05, 1.1]].map(([energy, ratio]) => ({ setting: '', energy, ratio, off: 0 }))
  assert.deepStrictEqual(frontierOf(points).map(({ energy }) => energy), [1, 1.1, 1.2])
})

test('between two settings each has a part of the time', () => {
  const frontier = frontierOf([{ setting: '', energy: 1.2, ratio: 0.64, off: 0 }])
  about(at(frontier, 1).ratio, 1)
  about(at(frontier, 1.1).ratio, 0.8)
  about(at(frontier, 3).ratio, 0.64)
})

test('each setting of a rival meets slo at its energy', () => {
  const one = app('todo', [
    outcome('slo', 'a', 1.1, 0.8, 0.01), outcome('combined', 'x', 1.1, 0.9, 0.01), outcome('rubik', 'y', 1.1, 0.805, 0.01), outcome('adrenaline', 'z', 1.1, 0.7, 0.01)
  ])
  assert.deepStrictEqual(duels(one).map(({ family, verdict }) => [family, verdict]), [['combined', 'better'], ['rubik', 'alike'], ['adrenaline', 'worse']])
})

test('means are of settings that all applications have', () => {
  const apps = [app('a', [outcome('slo', 's', 1.1, 0.5)]), app('b', [outcome('slo', 's', 1.3, 0.8), outcome('slo', 't', 1, 1)])]
  const point = meanPoint(apps, 'slo', 's')
  about(point.energy, 1.2)
  about(point.ratio, Math.sqrt(0.4))
  assert.strictEqual(meanPoint(apps, 'slo', 't'), undefined)
})

test('rivals get the targets and the routes that the recording gives', () => {
  const routes = { 'GET /a': { requests: 900, tail: 1 }, 'GET /b': { requests: 100, tail: 9 }, 'GET /rare': { requests: 2, tail: 2 } }
  const all = candidates({ tailsNs: [1000, 900, 800], routes })
  assert.strictEqual(all[0].policies, 'low')
  assert.deepStrictEqual(all.filter(({ family }) => family === 'adrenaline').map((one) => one.routes), [['GET /b'], ['GET /b', 'GET /a']])
  assert.deepStrictEqual(all.filter(({ family }) => family === 'rubik').slice(0, 2).map((one) => one.target_ns), [900, 800])
  assert.ok(all.some(({ policies, target_ns: target }) => policies === 'slo' && target === undefined))
  assert.ok(all.some(({ policies, target_ns: target }) => policies === 'slo' && target === 100))
})

test('the page tells each policy, its interval, and where slo is worse', () => {
  const apps = [app('todo', [outcome('slo', 'a', 1.1, 0.8, 0.008), outcome('combined', '2.5', 1.1, 0.7, 0.01)])]
  const machine = { cpu: 'a processor', cpus: 2, kernel: '6', node: 'v20' }
  const text = simulatedPage({ apps, load: 0.45, replications: 200, machine }, ['x.svg'])
  assert.match(text, /\| `slo` a \| 1\.00 \| 2\.00 \| 80\.0 ± 1\.0 % \| 20\.0 % ± 0\.8 \| 1\.100 ± 0\.000 \|/)
  assert.match(text, /\| todo \| combined \| 0 \| 0 \| 1 \| 2\.5: energy 1\.100, 30\.0 %, slo 20\.0 % \|/)
  assert.match(text, /!\[.*\]\(x\.svg\)/)
  assert.strictEqual(frontiers(apps).concat.length, 1)
})

for (const [args, said] of [
  [['--apps', 'synthetic'], /--apps synthetic: allowed are/],
  [['--simulate', '--apps', 'nowhere'], /--apps nowhere: allowed are synthetic/],
  [['--simulate', '--replications', '1'], /--replications 1: must be a number from 2/]
]) {
  test(`usage: ${args.join(' ')}`, () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' })
    assert.strictEqual(status, 2)
    assert.match(stderr, said)
  })
}
