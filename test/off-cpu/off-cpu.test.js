'use strict'

// Programs of known truth: what the thread does not run for is told as the kernel knows it.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { OFF, isWrong, judge } = require('./judge')
const programs = require('./programs')
const { REQUESTS, run } = require('./run')
const { rowOf } = require('./table')

const ATTEMPTS = 6

for (const program of programs) {
  test(program.name, async (t) => {
    let wrong = ['not run']
    for (let attempt = 0; attempt < ATTEMPTS && wrong.length > 0; attempt++) {
      const result = await run(t, program)
      if (typeof result === 'string') return t.skip(result)
      assert.equal(result.told.length, REQUESTS)
      assert.equal(result.known.length, REQUESTS)
      if (!program.env) assert.equal(result.whole.off_cpu.by, program.sums ? 'sums' : 'switches')
      if (program.env) {
        wrong = []
        for (const one of [result.whole.tail, ...result.told]) assert.equal(one.not_running, null)
        continue
      }
      const rows = judge(program, result)
      t.diagnostic(rowOf(program, rows, result))
      wrong = rows.filter(isWrong).map((row) => JSON.stringify(row))
      if (program.off.includes('fault')) assert.ok(result.known.some(({ faults }) => faults > 0), 'a page comes from a disk')
      // Where others have the processors the bounds are wide.
      if (!movedIsWrong(program, result)) wrong.push('a report that is wrong is not found')
    }
    assert.deepEqual(wrong, [])
  })
}

/** Whether some of it is found that is told as another kind. */
function movedIsWrong (program, result) {
  const [kind] = program.off
  if (!kind) return true
  const moved = kind === 'preempted' || kind === 'throttled' ? 'blocked' : 'preempted'
  const moves = 2e6 + 0.2 * result.told.reduce((sum, { not_running: not }) => sum + not[`${kind}_ns`], 0) / result.told.length
  const told = result.told.map((one) => ({
    ...one,
    not_running: Object.fromEntries(OFF.map((each) => [`${each}_ns`, one.not_running[`${each}_ns`] + moves * ((each === moved) - (each === kind))]))
  }))
  return judge(program, { ...result, told }).some(isWrong)
}
