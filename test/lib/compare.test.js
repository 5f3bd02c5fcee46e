'use strict'

// What a comparison comes to, and how it is told.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { unlikeBoosts } = require('../../lib/compare/boosts')
const { render } = require('../../lib/compare/render')
const { budgetOf, judge, sentence } = require('../../lib/compare/verdict')
const { BOOST } = require('./report-kit')

const difference = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => ({ value, low, high })

/** @param {object} [given] @returns {any} as edgewise.compare gives it */
function found (given = {}) {
  const percentile = (/** @type {any} */ change) => ({
    a_ns: 1e6, b_ns: 1.1e6, change, a_a: difference(-0.02, -0.07, 0.06), standardised: change, by_connection: null, smallest: 0.08
  })
  const part = (/** @type {string} */ name, /** @type {object[]} */ details) => ({ part: name, a_ns: 1e6, b_ns: 1.5e6, change_ns: difference(5e5, 4e5, 6e5), details })
  const parts = [
    part('io', [{ name: 'redis 10.0.0.7:6379', a_ns: 1e6, b_ns: 1.5e6, change_ns: difference(5e5, 4e5, 6e5) }]),
    part('queue', []), part('execution', []), part('gc', []),
    { part: 'not_running', a_ns: null, b_ns: null, change_ns: null, details: [] }
  ]
  return {
    a: { requests: 5000, blocks: 40, connections: null },
    b: { requests: 5100, blocks: 40, connections: null },
    concurrent: true,
    second_a: false,
    memory_ns: 1e8,
    block_ns: 1e9,
    refused: [],
    untold: [],
    percentiles: { p50: percentile(difference(0.01, -0.02, 0.04)), p90: percentile(difference(0.12, 0.05, 0.21)), p99: percentile(difference(-0.3, -0.4, -0.2)) },
    routes: [],
    why: parts,
    why_tail: parts,
    mixture: {
      rate: difference(0.02, -0.01, 0.05),
      a: { requests_per_s: 100, in_flight: 1.5, bytes: 400 },
      b: { requests_per_s: 102, in_flight: 1.6, bytes: null },
      largest: 0.001,
      shares: [{ route: 'GET /', a: 1, b: 1 }]
    },
    shift: [],
    ...given
  }
}

test('one sentence: slower, faster, or within; never equal', () => {
  assert.equal(sentence(found(), 'p90'), "B's p90 is 12 % [+5.0 %, +21 %] slower; A/A -2.0 % [-7.0 %, +6.0 %].")
  assert.equal(sentence(found(), 'p99'), "B's p99 is 30 % [+20 %, +40 %] faster; A/A -2.0 % [-7.0 %, +6.0 %].")
  assert.equal(sentence(found(), 'p50'), "B's p50 is within [-2.0 %, +4.0 %] of A's; A/A -2.0 % [-7.0 %, +6.0 %].")
  assert.match(sentence(found()), /^B's p99 /)
})

test('no verdict: the first reason', () => {
  assert.equal(sentence(found({ refused: ['A lacks 2 % of its records'] })), 'No verdict: A lacks 2 % of its records.')
  assert.equal(sentence(found({ untold: ['p99.9 has 5 requests above it; 20 are needed'] }), 'p99.9'), 'No verdict: p99.9 has 5 requests above it; 20 are needed.')
  assert.equal(sentence(found({ percentiles: {} })), 'No verdict: there are too few requests.')
})

test('budgets', () => {
  assert.deepEqual(budgetOf('+5 % p99'), { percentile: 'p99', most: 0.05 })
  assert.deepEqual(budgetOf('10% p99.9'), { percentile: 'p99.9', most: 0.1 })
  assert.deepEqual(budgetOf('-2.5 % p50'), { percentile: 'p50', most: -0.025 })
  for (const text of ['', '5', '5 %', 'p99', '5 % p98', '5 ms p99', '+ 5 % p99', '5 % p999']) assert.equal(budgetOf(text), null, text)
})

test('a budget is kept where the whole interval is, exceeded where none of it is', () => {
  const outcome = (/** @type {number} */ most, given = {}) => judge(found(given), { percentile: 'p90', most }).outcome
  assert.equal(outcome(0.25), 'kept')
  assert.equal(outcome(0.04), 'exceeded')
  assert.equal(outcome(0.1), 'undecided')
  assert.equal(outcome(0.25, { refused: ['why'] }), 'refused')
  assert.equal(judge(found({ untold: ['p99.9 has 5 requests'] }), { percentile: 'p99.9', most: 1 }).why, "B's p99.9 may be +100 %: p99.9 has 5 requests")
})

test('everything is told, and what is not known is unavailable', () => {
  const text = render(found(), { percentile: 'p90' })
  for (const expected of [/^B's p90 is 12 %/, /recorded at the same time/, /latency remembers 100 ms; blocks of 1\.00 s: 40 and 40/, /redis 10\.0\.0\.7:6379 +1\.00 ms +1\.50 ms +\+500 µs/,
    /requests\/s +100\.0 +102\.0 +\+2\.0 % \[-1\.0 %, \+5\.0 %\]/, /bytes of a request +400 bytes +unavailable/, /garbage collection/]) assert.match(text, expected)
  assert.doesNotMatch(text, /not running/)
  assert.doesNotMatch(text, /NaN|undefined|null/)
})

test('names cannot move the cursor', () => {
  const text = render(found({ refused: ['bad \x1b[2J\u202e name'] }))
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\u202e]/)
})

test('each value against all others', () => {
  const text = render({ values: [{ value: 'process 1', ...found() }, { value: 'process 2', ...found({ refused: ['3 blocks of 1.0 s are too few'] }) }] })
  assert.match(text, /^Each against all others: 2 values, 1 differs/)
  assert.match(text, /process 2 .*3 blocks/)
})

test('where one side was boosted, or otherwise, the reason is told', (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-compare-test-'))
  t.after(() => fs.rmSync(root, { recursive: true }))
  const side = (/** @type {string} */ name, /** @type {object | null} */ boost) => {
    fs.mkdirSync(path.join(root, name))
    if (boost) fs.writeFileSync(path.join(root, name, 'boost-7-0.json'), JSON.stringify({ ...BOOST, ...boost }))
    return path.join(root, name)
  }
  const [plain, other, boosted, slo] = [side('plain', null), side('other', null), side('boosted', {}), side('slo', { policy: 'slo' })]
  assert.equal(unlikeBoosts({ a: [plain], b: [other] }), undefined)
  assert.equal(unlikeBoosts({ a: [boosted], b: [boosted] }), undefined)
  assert.equal(unlikeBoosts({ a: [plain], b: [boosted] }), 'A was recorded without boosting, B with boosting by gc,queue (emulated)')
  assert.match(unlikeBoosts({ a: [slo], b: [boosted] }) ?? '', /^A was recorded with boosting by slo/)
})

test('bad input is named, with what is allowed', () => {
  const cases = /** @type {[string[], number, RegExp][]} */ ([
    [['x'], 2, /give two directories, A and B; or those of B after --with \(given: x\)/],
    [['x', 'y', 'z'], 2, /give two directories/],
    [['/nowhere/a', '/nowhere/b'], 1, /\/nowhere\/a does not exist/],
    [['x', 'y', '--budget', 'fast'], 2, /'--budget <B>'.*Allowed is a share and a percentile, such as '\+5 % p99'/],
    [['x', 'y', '--percentile', 'p98'], 2, /Allowed are p50, p90, p99, p99\.9/],
    [['x', '--by', 'moon'], 2, /Allowed are process, worker, minute, node/],
    [['x', '--by', 'node', '--watch'], 2, /--by splits what is given/],
    [['x', 'y', '--for', '5'], 2, /--for goes with --watch/],
    [['x', 'y', '--block', '5'], 2, /Allowed is a time above 0, such as 2s/],
    [['x', 'y', '--skip', '-1'], 2, /Allowed is a number of seconds/],
    [[__dirname, __dirname], 1, /no trace in/],
    [[__dirname, __dirname, '--resamples', '3'], 2, /resamples 3 is not between 200 and 1000000/]
  ])
  for (const [args, code, message] of cases) {
    const { status, stderr, stdout } = spawnSync(process.execPath, [path.join(__dirname, '../../bin/edgewise.js'), 'compare', ...args], { encoding: 'utf8' })
    assert.equal(status, code, `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
    assert.equal(stdout, '')
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
})
