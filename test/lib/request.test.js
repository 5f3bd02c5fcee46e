'use strict'

// edgewise.request(): what fn returns reaches the caller, recorded or not.

const assert = require('node:assert/strict')
const test = require('node:test')
const { setImmediate: turn } = require('node:timers/promises')
const edgewise = require('../../lib')
const recording = require('../../lib/recording')
const { OUTCOME } = require('../../lib/instrument/servers/requests')

/** @param {any} t @returns {number[]} outcomes of the requests, as the recorder is told */
function recorded (t) {
  /** @type {number[]} */
  const outcomes = []
  const now = {
    calls: { requestStart: () => 1, requestEnd: (/** @type {number[]} */ ...told) => outcomes.push(told[3]) },
    following: { begin () {} },
    routes: { numberOfPattern: () => 1 }
  }
  t.mock.method(recording, 'active', () => now)
  return outcomes
}

for (const on of [true, false]) {
  const name = on ? 'recorded' : 'not recorded'
  const begin = (/** @type {any} */ t) => on ? recorded(t) : []
  const told = (/** @type {number} */ outcome) => on ? [outcome] : []

  test(`values and exceptions: ${name}`, (t) => {
    const outcomes = begin(t)
    assert.equal(edgewise.request('job', () => 7), 7)
    assert.deepEqual(outcomes.splice(0), told(OUTCOME.finished))
    assert.throws(() => edgewise.request('job', () => { throw new Error('mine') }), /mine/)
    assert.deepEqual(outcomes, told(OUTCOME.failed))
  })

  test(`promises: ${name}`, async (t) => {
    const outcomes = begin(t)
    assert.equal(await edgewise.request('job', async () => 7), 7)
    await assert.rejects(edgewise.request('job', async () => { throw new Error('mine') }), /mine/)
    assert.deepEqual(outcomes, on ? [OUTCOME.finished, OUTCOME.failed] : [])
  })

  test(`a rejection that nobody handles is Node's to tell: ${name}`, async (t) => {
    begin(t)
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    t.after(() => listeners.forEach((listener) => process.on('unhandledRejection', listener)))
    const reasons = /** @type {any[]} */ ([])
    process.once('unhandledRejection', (reason) => reasons.push(reason))
    edgewise.request('job', () => Promise.reject(new Error('unhandled')))
    await turn()
    assert.deepEqual(reasons.map(({ message }) => message), ['unhandled'])
  })

  test(`a lazy thenable begins once: ${name}`, async (t) => {
    const outcomes = begin(t)
    let begun = 0
    const lazy = { then: (/** @type {any} */ ...both) => Promise.resolve(++begun).then(...both) }
    assert.equal(await edgewise.request('job', () => lazy), 1)
    assert.equal(begun, 1)
    assert.deepEqual(outcomes, told(OUTCOME.finished))
  })

  test(`a then that throws ends the request: ${name}`, (t) => {
    const outcomes = begin(t)
    assert.throws(() => edgewise.request('job', () => ({ then () { throw new Error('mine') } })), /mine/)
    assert.deepEqual(outcomes, told(OUTCOME.failed))
  })
}

test('what began in an earlier recording ends in none', async (t) => {
  const earlier = recorded(t)
  const result = edgewise.request('job', () => turn().then(() => 7))
  const later = recorded(t)
  assert.equal(await result, 7)
  assert.deepEqual([earlier, later], [[], []])
})
