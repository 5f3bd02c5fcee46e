'use strict'

// What a prediction is asked, and how it reads.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { ChangeList, curve, duration, relative, share } = require('../../lib/whatif/changes')
const { compare } = require('../../lib/whatif/check')
const { functionCandidates, resolveFunctions } = require('../../lib/whatif/functions')
const { render } = require('../../lib/whatif/render')
const { together } = require('../../lib/whatif/services')
const { readScenarios, readTier } = require('../../lib/whatif/scenario-file')

test('numbers as people write them', () => {
  assert.deepEqual(['2ms', '1.5s', '500us', '3µs', '7ns', '2', 'ms', '-2ms', '2 ms'].map(duration), [2e6, 1.5e9, 5e5, 3e3, 7, NaN, NaN, NaN, NaN])
  assert.deepEqual(['-50%', '+20%', '-100%', '-101%', '50%', '-50'].map(relative), [0.5, 1.2, 0, NaN, NaN, NaN])
  assert.deepEqual(['50%', '0.5', '2', '-1', 'x'].map(share), [0.5, 0.5, 2, NaN, NaN])
})

test('a place holds for what follows it', () => {
  const list = new ChangeList()
  list.add(list.placed('all'), { kind: 'cpu', ...list.place(), scale: 0.5 })
  list.route = 'GET /a'
  list.dependency = 'redis'
  list.add(list.placed('waits +2ms'), { kind: 'wait', ...list.place(), addNs: 2e6 })
  assert.deepEqual(list.scenarios(), [{
    name: 'all, GET /a: redis: waits +2ms',
    changes: [{ kind: 'cpu', scale: 0.5 }, { kind: 'wait', route: 'GET /a', dependency: 'redis', addNs: 2e6 }]
  }])
  assert.deepEqual(new ChangeList().scenarios(), [])
})

test('a curve has a tenth, a half and all of a change', () => {
  const scenarios = curve({ name: 'x', changes: [{ kind: 'cpu', scale: 0.5 }, { kind: 'wait', addNs: 100 }, { kind: 'batch' }] })
  assert.deepEqual(scenarios.map(({ name }) => name), ['10 % of x', '50 % of x', '100 % of x'])
  assert.deepEqual(scenarios.map(({ changes }) => [changes[0].scale, changes[1].addNs]), [[0.95, 10], [0.75, 50], [0.5, 100]])
  assert.deepEqual(scenarios[0].changes[2], { kind: 'batch' })
})

test('files are checked, and the place is named', (t) => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-whatif-')), 'file')
  t.after(() => fs.rmSync(path.dirname(file), { recursive: true }))
  /** @type {[string, RegExp][]} */
  const cases = [
    ['{', /file: .*JSON/],
    ['[]', /must be a list of/],
    ['[{"changes": []}]', /\[0\].name: must be a text/],
    ['[{"name": "x", "changes": []}]', /\[0\].changes: must be a list/],
    ['[{"name": "x", "changes": [{"kind": "cpu", "scale": -1}]}]', /changes\[0\].scale: must be a number, at least 0/],
    ['[{"name": "x", "changes": [{"kind": "cpu", "speed": 1}]}]', /changes\[0\].speed: allowed are kind, route/],
    ['[{"name": "x", "changes": [{"scale": 1}]}]', /changes\[0\].kind: allowed are cpu, wait/],
    ['[{"name": "x", "changes": [{"kind": "wait", "tierNs": []}]}]', /tierNs: must be a list of ns/]
  ]
  for (const [text, message] of cases) {
    fs.writeFileSync(file, text)
    assert.throws(() => readScenarios(file), message)
  }
  fs.writeFileSync(file, '[{"name": "x", "changes": [{"kind": "wait", "tierNs": [1, 2]}]}]')
  assert.deepEqual(readScenarios(file), [{ name: 'x', changes: [{ kind: 'wait', tierNs: [1, 2] }] }])
  fs.writeFileSync(file, '# a comment\n3\n\n1.5\n')
  assert.deepEqual(readTier(file), [1.5e6, 3e6])
  fs.writeFileSync(file, '3\nfast\n')
  assert.throws(() => readTier(file), /file:2: 'fast' is no latency/)
  fs.writeFileSync(file, '\n')
  assert.throws(() => readTier(file), /has no latency/)
})

// GET /a runs parse for a quarter, and render for the rest; GET /b runs parse only.
function sampled () {
  const rows = (/** @type {number[][]} */ ...stacks) => stacks
  return {
    tail: { count: 1 },
    rest: { count: 3 },
    stacks: {
      causes: [
        { what: 'GET /a tcp_read', route: 'GET /a', stacks: rows([1, 0, 100, 0, 0], [2, 0, 0, 0, 300]) },
        { what: 'GET /b tcp_read', route: 'GET /b', stacks: rows([1, 0, 0, 0, 50]) },
        { what: 'garbage collection', stacks: rows([1, 10, 10, 10, 10]) }
      ],
      tree: {
        parent: [0, 0, 0],
        function: [0, 1, 2],
        script: [0, 3, 3],
        line: [0, 4, 9],
        column: [0, 1, 1],
        package: [0, 0, 0],
        packages: [null],
        texts: ['', 'parse', 'render', '/app/server.js']
      }
    }
  }
}

test('a function is a part of each route that runs it', async () => {
  const report = async () => sampled()
  const half = (/** @type {object} */ change) => resolveFunctions([{ kind: 'cpu', scale: 0.5, ...change }], report)
  assert.deepEqual(await half({ function: 'parse' }), [{ kind: 'cpu', route: 'GET /a', scale: 0.875 }, { kind: 'cpu', route: 'GET /b', scale: 0.5 }])
  assert.deepEqual(await half({ function: 'server.js:9' }), [{ kind: 'cpu', route: 'GET /a', scale: 0.625 }])
  assert.deepEqual(await half({ function: 'parse', route: 'GET /b' }), [{ kind: 'cpu', route: 'GET /b', scale: 0.5 }])
  assert.deepEqual(await half({ route: 'GET /b' }), [{ kind: 'cpu', scale: 0.5, route: 'GET /b' }])
  await assert.rejects(half({ function: 'render', route: 'GET /b' }), /no sample of route GET \/b is in render/)
  await assert.rejects(half({ function: 'r.js:9' }), /no sample/)
  await assert.rejects(resolveFunctions([{ kind: 'cpu', function: 'x' }], async () => ({})), /no stacks: record with EDGEWISE_STACKS=100/)
  assert.deepEqual(functionCandidates(sampled()).map(({ name }) => name), ['half of render server.js:9', 'half of parse server.js:4'])
})

const percentile = { recorded_ns: 2e6, simulated_ns: 2.1e6, after_ns: [1e6, 0.9e6, 1.2e6], gain: [-0.5, -0.55, -0.4] }
const percentiles = { p50: percentile, p90: null, p99: percentile, 'p99.9': null }
const fit = { requests: 1200, left_out: 0, loops: [{}], seconds: 10, utilisation: 0.4, capacity: 300, routes: [{ route: null, requests: 1200, percentiles }] }
const scenario = { name: 'it', utilisation: [0.4, 0.3], capacity: [300, 400], routes: [{ route: null, requests: 1200, percentiles }], assumed: ['nothing else changes'], refused: ['p99.9 needs more'] }

test('a prediction reads from its fit to what was assumed', () => {
  const text = render({ fit, scenarios: [scenario] })
  assert.match(text, /^1,200 requests of 10 s, run again: 1 loop, 40.0 % busy, at most 300 requests\/s\n/)
  assert.match(text, /recording itself: p50 \+5.0 %, p99 \+5.0 %\./)
  assert.match(text, /\n {2}all {7}p50 {3}2.00 ms {4}1.00 ms {2}\[900 µs, 1.20 ms\] {3}-50 % {2}\[-55 %, -40 %\]\n/)
  assert.match(text, /busy: 40.0 % -> 30.0 %; at most 300 -> 400 requests\/s \(\+33 %\)\n {2}! p99.9 needs more\n {2}assumed: nothing else changes\n/)
})

test('a ranking, a goal, and what is missing', () => {
  const refused = { ...scenario, name: 'too much', routes: [{ route: null, percentiles: { p50: null, p99: null } }] }
  const text = render({ fit: { ...fit, left_out: 3 }, scenarios: [], ranking: [scenario, refused], goal: { percentile: 99, limit_ns: 5e6, load: 1.5, at_ns: 4.9e6 } })
  assert.match(text, /! 3 requests left out/)
  assert.match(text, /What is worth changing:\n.*\n {2}it +-50 % .* \+33 %\n {2}too much .*refused/)
  assert.match(text, /Up to 1.50 times the recorded load keeps p99 of 5.00 ms: 180 requests\/s \(there it is 4.90 ms\)\./)
  assert.match(render({ fit, scenarios: [], ranking: [] }), /Nothing that could be changed takes any time/)
  assert.match(render({ fit, scenarios: [], goal: { percentile: 99, limit_ns: 5e6, load: null } }), /No load keeps p99 of 5.00 ms/)
})

test('what was predicted stands beside what came', () => {
  const came = { requests: 900, routes: [{ percentiles: { p50: { recorded_ns: 1.25e6 }, p90: null, p99: { recorded_ns: 1e6 } } }] }
  const check = compare(scenario, came)
  assert.deepEqual(check.rows.map(({ percentile, error, inside }) => [percentile, Number(error.toFixed(3)), inside]), [['p50', -0.2, false], ['p99', 0, true]])
  assert.match(render({ fit, scenarios: [], check }), /Predicted, and what really came \(900 requests\):\n.*\n {2}p50 {4}1.00 ms {2}\[900 µs, 1.20 ms\] {3}1.25 ms {3}-20 % {6}no\n/)
})

test('the slowest service bounds all, or the processors do', () => {
  // Beside each other, they have a processor half of the time.
  const of = (/** @type {number} */ requests, /** @type {number[]} */ capacity) => ({ fit: { requests, seconds: 10, utilisation: 0.5, capacity: capacity[0], capacity_alone: 2 * capacity[0] }, scenarios: [{ capacity, capacity_alone: capacity.map((most) => 2 * most) }] })
  // A request of front asks users twice: users can serve 300 of front's a second, and 450 after the change.
  const all = [{ directory: 'front', found: of(1000, [400, 400]) }, { directory: 'users', found: of(2000, [600, 900]) }]
  const apart = together(all, {})
  assert.deepEqual(apart.services.map(({ calls, bound }) => [calls, ...bound]), [[1, 400, 400], [2, 300, 450]])
  assert.deepEqual([apart.throughput, apart.limited_by, apart.processors], [[300, 400], ['users', 'front'], null])
  const shared = together(all, { processors: 1 })
  assert.deepEqual(shared.throughput.map(Math.round), [343, 424])
  assert.deepEqual(shared.limited_by, [null, null])
  assert.match(render({ fit, scenarios: [], together: shared }), /Together they answer at most 343 requests\/s, by the processors; after the change 424 requests\/s, by the processors \(\+24 %\):\n.*\n {2}front .*800 +800\n {2}users +2.00 .*600 +900\n {2}\(the processors\) +343 +424\n/)
  assert.match(render({ fit, scenarios: [], together: together(all.slice(0, 1), {}) }), /at most 400 requests\/s, by front:\n/)
})

test('no name moves the cursor', () => {
  assert.ok(!render({ fit, scenarios: [{ ...scenario, name: 'a\u001b[2Jb' }] }).includes('\u001b'))
})
