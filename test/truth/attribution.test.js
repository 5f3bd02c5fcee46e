'use strict'

// How attributions are counted, and what the observers say of two programs.

const assert = require('node:assert/strict')
const test = require('node:test')
const { countObserved, countReported, sum } = require('./attribution')
const { observeProgram } = require('./run-program')

const step = (begin, end, observed) => ({ name: `at ${begin}`, begin, end, observed })

test('an observer: its own request, another, nobody; the first step is no question', () => {
  const requests = [
    { route: 'a', end: 900_000, steps: [step(0, 10, 'b'), step(100_000, 100_010, 'a'), step(200_000, 200_010, 'b'), step(300_000, 300_010)] },
    { route: 'b', end: 900_000, steps: [step(20, 30, 'b')] }
  ]
  assert.deepEqual(countObserved([{ requests }]), { steps: 3, found: 1, claims: 2, right: 1 })
})

test('an observer: a listener inside the step that fires it is both requests\' code', () => {
  const requests = [
    { route: 'waits', end: 9, steps: [step(0, 1, 'waits'), step(5, 6, 'fires')] },
    { route: 'fires', end: 9, steps: [step(4, 8, 'fires')] }
  ]
  assert.deepEqual(countObserved([{ requests }]), { steps: 1, found: 0, claims: 1, right: 1 })
})

test('what has no times, and a request that was given up, are left out', () => {
  const requests = [
    { route: 'a', end: 9, steps: [step(0, 1), { name: 'hidden', begin: null, end: null }, step(2, null, 'a')] },
    { route: 'b', end: null, steps: [step(0, 1), step(2, 3, 'b')] }
  ]
  assert.deepEqual(countObserved([{ requests }]), { steps: 0, found: 0, claims: 0, right: 0 })
})

test('a report: a step is of every request whose graph has it', () => {
  const own = { route: 'a', end: 1e6, steps: [step(0, 10), step(500_000, 500_100)] }
  const other = { route: 'b', end: 1e6, steps: [step(20, 30)] }
  const compared = (truth, nodes) => ({ truth, row: { process: 1, thread: 0 }, request: { start_ns: 400_000, nodes } })
  const testimony = [{ process: 1, thread: 0, requests: [own, other] }]
  const inIt = { begin_ns: 99_990, end_ns: 100_200 }
  const beside = { begin_ns: 0, end_ns: 50_000 }
  const count = (mine, others) => countReported({ testimony, compared: [compared(own, mine), compared(other, others)] })
  assert.deepEqual(count([inIt], [beside]), { steps: 1, found: 1, claims: 1, right: 1 })
  assert.deepEqual(count([beside], [inIt]), { steps: 1, found: 0, claims: 1, right: 0 })
  assert.deepEqual(count([inIt], [inIt]), { steps: 1, found: 1, claims: 2, right: 1 })
  assert.deepEqual(sum([count([], []), count([inIt], [])]), { steps: 2, found: 1, claims: 1, right: 1 })
})

for (const observer of ['AsyncLocalStorage', 'async_hooks']) {
  test(`${observer}: knows who awaits, and nobody in a pool's queue`, async () => {
    const awaited = countObserved(await observeProgram(require('./programs/pooled-promises'), observer))
    assert.ok(awaited.steps > 0)
    assert.equal(awaited.found, awaited.steps)
    const queued = countObserved(await observeProgram(require('./programs/pooled-callbacks'), observer))
    assert.ok(queued.steps > 0)
    assert.equal(queued.found, 0)
  })
}
