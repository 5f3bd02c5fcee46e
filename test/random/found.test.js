'use strict'

// What random programs have found (found.js): each several times, of which most
// must be told rightly, or the report says that it is not sure: where a client
// connects some ms before it sends, only that is known.

const assert = require('node:assert/strict')
const test = require('node:test')
const FOUND = require('./found')
const { judgePrograms } = require('./campaign')

const REPEATS = 4
const APART_MS = 180

/** Of each, the numbers of its programs, by repeat. @type {number[][][]} */
const numbers = FOUND.map(() => [])
/** @type {import('./plan').Program[]} */
const programs = []
for (let round = 0, at = 0; round < REPEATS; round++) {
  for (const [i, { programs: together }] of FOUND.entries()) {
    const first = programs.length
    numbers[i].push(together.map((each) => {
      const behind = each.behind === undefined ? {} : { behind: first + each.behind }
      return programs.push(/** @type {any} */ ({ style: 'callback', connection: 'kept', ...each, ...behind, id: programs.length, at: at + Number(each.at) })) - 1
    }))
    at += APART_MS
  }
}
const judged = judgePrograms(programs, {})

for (const [i, { name }] of FOUND.entries()) {
  test(name, async () => {
    const { misfits } = await judged
    const failed = numbers[i].map((ids) => misfits.filter(({ program }) => ids.includes(program))).filter(({ length }) => length > 0)
    const wrong = failed.filter((all) => all.some(({ label }) => !label))
    const told = failed.map((all) => all.map(({ kind, label }) => [kind, label].filter(Boolean).join(', ')).join('; ')).join('; ')
    assert.ok(2 * wrong.length < REPEATS, `${wrong.length} of ${REPEATS} times: ${told}`)
  })
}
