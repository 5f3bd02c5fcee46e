'use strict'

// Every truth program at each causality level, and on the patched Node if it is
// built: what the report says of each request against what the program says it
// did. Causality must be right at once; times may be tried again, since the
// machine has other work.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const test = require('node:test')
const { findPatchedNode } = require('../../lib/native/patched-node')
const { PROGRAMS } = require('./programs')
const { runProgram } = require('./run-program')

const LEVELS = /** @type {('events' | 'promises' | 'patched')[]} */ (['events', 'promises', ...findPatchedNode().built ? ['patched'] : []])
const ATTEMPTS = 8
// Times are judged closely by `npm run test:truth`, for a machine that has
// nothing else to do. Otherwise only what no other work explains is wrong.
const CLOSELY = process.env.TRUTH_TIMES === 'judge'
const COARSE_NS = 5_000_000

// More runnable threads than this, others' among them, and times mean nothing.
const BUSY_LOAD = 2.5 * os.availableParallelism()

const table = []
/** For by-node.js. */
const results = []

for (const program of PROGRAMS) {
  for (const level of LEVELS) {
    const missing = program.missing?.()
    test(`${program.name} (${level})`, { skip: missing }, async (t) => {
      const required = !program.reported?.includes(level)
      /** @type {Map<string, any>} */
      const best = new Map()
      let blame = Infinity
      const sums = { expected: 0, found: 0, right: 0, foreign: 0, inferred: 0, unseen: 0 }
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const result = await runProgram(program, level)
        checkCounts(result)
        blame = Math.min(blame, program.check?.(result.compared, result.ledger.sent) ?? 0)
        sums.unseen = result.unseen
        for (const each of result.compared) {
          for (const key of Object.keys(each.causality)) sums[key] += each.causality[key]
          if (!required || (level === 'events' && each.truth.needsPromises)) continue
          checkCausality(each)
          if (each.warm || (level === 'events' && each.truth.timesNeedPromises)) continue
          keepBest(best, each)
        }
        if ((blame <= 1 || !CLOSELY) && [...best.values()].every(({ worst }) => excessOf(worst) <= 1)) break
      }
      table.push(rowOf(program, level, sums, best))
      const percent = (part, whole) => whole === 0 ? null : 100 * part / whole
      results.push({ program: program.name, level, observable: required, recall: percent(sums.right, sums.expected), precision: percent(sums.right, sums.found) })
      if (os.loadavg()[0] > BUSY_LOAD) {
        t.diagnostic(`times are shown, not judged: the load of this machine is ${os.loadavg()[0].toFixed(1)}`)
        return
      }
      assert.ok(blame <= 1 || !CLOSELY, `whom the requests waited for is off by ${blame} times what is allowed`)
      for (const { each, worst } of best.values()) {
        assert.ok(excessOf(worst) <= 1, `${each.truth.route}: ${worst.component} is off by ${micro(worst.error)} µs ` +
          `of ${micro(each.expected[worst.component])} in the best of ${ATTEMPTS} runs\n${explain(each)}`)
      }
    })
  }
}

test.after(() => {
  console.log('\nTruth: causality and component errors by program (per request the best of up to ' + `${ATTEMPTS} runs)`)
  console.log(['program'.padEnd(30), 'level'.padEnd(9), ' steps', 'recall %', 'precision %', 'inferred', 'Node µs/step', 'median err µs', 'worst err µs'].join('  '))
  for (const line of table) console.log(line)
  if (process.env.TRUTH_OUT) fs.writeFileSync(process.env.TRUTH_OUT, JSON.stringify(results))
})

function checkCounts ({ ledger, whole, rows, missing, stderr }) {
  assert.equal(stderr, '', 'nothing is said on stderr')
  assert.deepEqual(missing, [])
  assert.deepEqual(whole.problems, [])
  assert.equal(whole.requests.count, ledger.answered)
  assert.equal(whole.requests.aborted, ledger.givenUp)
  assert.equal(ledger.answered + ledger.givenUp, ledger.sent.size)
  assert.equal(whole.requests.lost, 0)
  assert.equal(whole.events.dropped, 0)
  for (const row of rows) assert.equal(row.io_ns + row.queue_ns + row.exec_ns, row.latency_ns, JSON.stringify(row))
}

function checkCausality (each) {
  const { expected, found, right, foreign } = each.causality
  assert.ok(right === expected && found === expected, `${each.truth.route}: the critical path is wrong\n${explain(each)}`)
  assert.equal(foreign, 0, `${each.truth.route}: its graph has work of other requests\n${explain(each)}`)
}

// More than 1: it is off by more than is allowed.
function excessOf ({ error, allowed }) {
  return Math.abs(error) / (CLOSELY ? allowed : Math.max(allowed, COARSE_NS))
}

function keepBest (best, each) {
  const worst = each.errors.reduce((a, b) => excessOf(b) > excessOf(a) ? b : a)
  const before = best.get(each.truth.route)
  if (!before || excessOf(worst) < excessOf(before.worst)) best.set(each.truth.route, { each, worst })
}

function rowOf (program, level, sums, best) {
  const percent = (part, whole) => whole === 0 ? '-' : (100 * part / whole).toFixed(1)
  const errors = [...best.values()].map(({ worst }) => Math.abs(worst.error)).sort((a, b) => a - b)
  const required = !program.reported?.includes(level)
  return [
    program.name.padEnd(30),
    level.padEnd(9),
    String(sums.expected).padStart(6),
    percent(sums.right, sums.expected).padStart(8),
    percent(sums.right, sums.found).padStart(11),
    String(sums.inferred).padStart(8),
    micro(sums.unseen).padStart(12),
    (required ? micro(errors[errors.length >> 1]) : '-').padStart(13),
    (required ? micro(errors.at(-1)) : '-').padStart(12),
    required ? '' : '  not observable at this level'
  ].join('  ').trimEnd()
}

function micro (ns) {
  return (ns / 1e3).toFixed(0)
}

function explain ({ truth, request, row, expected }) {
  const since = (ns) => ns === null ? '?' : micro(ns - row.start_ns)
  return [
    `  truth:  ${truth.path.map((name) => truth.steps.find((step) => step.name === name))
      .map((step) => `${step.name} (${step.type}) ${since(step.begin)}..${since(step.end)}`).join(' -> ')}`,
    `  report: ${request.path.map((step) => `${step.type}${step.inferred ? ' (inferred)' : ''} ` +
      `${micro(step.begin_ns)}..${micro(step.end_ns)} io ${micro(step.io_ns)} queue ${micro(step.queue_ns)} exec ${micro(step.exec_ns)}`).join(' -> ')}`,
    `  expected ${Object.entries(expected).map(([name, ns]) => `${name} ${micro(ns)}`).join(', ')} µs`
  ].join('\n')
}
