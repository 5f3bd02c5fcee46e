'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { loadResults, saveResults } = require('../../benchmarks/shared/rounds')
const { page } = require('../../benchmarks/results/page')

const PROGRAM = path.join(__dirname, '../../benchmarks/results/index.js')
const MS = 1e6

const latency = (ms) => ({ mean: ms * MS, p50: ms * MS, p90: 2 * ms * MS, p99: 5 * ms * MS, p999: 10 * ms * MS })

function part (count, [io, queue, exec]) {
  return {
    count,
    mean_latency_ns: (io + queue + exec) * MS,
    io_ns: io * MS,
    queue_ns: queue * MS,
    exec_ns: exec * MS,
    exec: { gc_ns: 0.25 * exec * MS, jit_ns: null, ic_ns: null, native_ns: 0.75 * exec * MS },
    queue: { gc_ns: 0.5 * queue * MS, jit_ns: null, ic_ns: null, native_ns: 0.25 * queue * MS, loop_ns: 0.25 * queue * MS }
  }
}

function cell (variant, round, ms, recorded = {}) {
  return { app: 'todo', variant, round, requests: 1000, errors: 0, lagged: false, client: latency(ms), intended: latency(ms), cpu: { mainUs: 100 * ms, allUs: 150 * ms, helpersUs: 10 }, cdf: [], ...recorded }
}

function results ({ off = 0, sent = 1200 } = {}) {
  const report = {
    requests: { count: 1000 },
    events: { count: 4000, dropped: 0 },
    tail: part(10, [2, 5, 3]),
    rest: part(990, [0.5, 0.25, 0.25]),
    routes: [],
    blockers: [{ what: 'GET /todos tcp_read', share: 0.5 }]
  }
  const recorded = { recorded: { report, latency: { ...latency(1.1), p50: 1.1 * MS + off }, requests: 1200, sent } }
  return {
    plan: { runs: 2, seconds: 1, warmup: 1, percentile: 99, workers: 2 },
    machine: { cpu: 'a processor', cpus: 2, memoryGb: 4, kernel: '6', node: 'v20' },
    rates: { todo: { ratePerS: 100, lightPerS: 50 } },
    cells: [0, 1].flatMap((round) => [cell('bare', round, 1), cell('bare again', round, 1), cell('recorded', round, 1.1, recorded)]),
    light: [0, 1].flatMap((round) => [cell('bare', round, 1), cell('bare again', round, 1), cell('recorded', round, 1.02, recorded), cell('without promises', round, 1.01, recorded)]),
    clusters: [{ app: 'todo', round: 0, ...recorded }]
  }
}

test('the page says shares, ratios and what the paper has', () => {
  const text = page(results(), ['latency.svg', 'breakdown.svg'])
  assert.match(text, /\| todo \| tail, p99 \| 10\.0 \| 20\.0 % \| 50\.0 % \| 30\.0 % \|/)
  assert.match(text, /\| todo \| tail \| 40\.6 % \| unavailable \| unavailable \| 43\.8 % \| 15\.6 % \|/, 'of execution and queueing')
  assert.match(text, /\| todo \| recorded \| \+10\.0 % \[\+10\.0 %, \+10\.0 %\]/)
  assert.match(text, /\| todo \| recorded \| \+2\.0 % \[\+2\.0 %, \+2\.0 %\]/, 'at the light load')
  assert.match(text, /\| todo \| without promises \| \+1\.0 % \[\+1\.0 %, \+1\.0 %\]/)
  assert.match(text, /\| todo \| bare \| 100 \| 10 \| 40 \| {2}\|/)
  assert.match(text, /\| todo \| recorded \| 102 \| 10 \| 41 \| 4\.0 \|/)
  assert.match(text, /\| todo \| 20\.0 % \| unavailable \| 32\.5 % \| unavailable \| 35\.0 % \| I\/O 10\.9/, 'of the whole latency, in the cluster')
  assert.match(text, /\| todo \| 0 µs \(0\.00 %\) \| 0 µs \(0\.00 %\) \| 0 µs \(0\.00 %\) \| 0 \| 0 \| 0 \|/)
})

test('what differs from the client, and what is missing, is said', () => {
  const text = page(results({ off: 0.2 * MS, sent: 1201 }), ['latency.svg', 'breakdown.svg'])
  assert.match(text, /\| todo \| 200 µs \(18\.18 %\) \*\*differs\*\* \|.*\| 2 \| 0 \| 0 \|/)
})

test('results that mean something else are not gone on with', (t) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-rounds-'))
  t.after(() => fs.rmSync(directory, { recursive: true }))
  const json = path.join(directory, 'results.json')
  const fresh = { schema: 2, plan: { seconds: 1 }, machine: {} }
  saveResults({ ...fresh, cells: [1] }, json)
  assert.deepStrictEqual(loadResults({ ...fresh }, { json, resume: true }), { ...fresh, cells: [1] })
  saveResults({ ...fresh, schema: 1 }, json)
  assert.throws(() => loadResults({ ...fresh }, { json, resume: true }), /results\.json has another schema: 1, and this run 2/)
})

test('nonsense flags are named', () => {
  for (const [args, said] of [
    [['--apps', 'todo,nope'], /--apps nope: allowed are etherpad/],
    [['--resume'], /--resume goes on with a file: give --json FILE/],
    [['--runs', '0'], /--runs 0: must be a number from 1/],
    [['extra'], /'extra': no such argument/]
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' })
    assert.strictEqual(status, 2, stderr)
    assert.match(stderr, said)
  }
})
