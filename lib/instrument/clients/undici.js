'use strict'

// Who asks by undici: known where it is dispatched. It may be written later,
// when an answer to somebody else has left its connection free: pools and
// clients keep what waits. fetch() of Node.js dispatches where it makes a
// request, and npm's undici in DispatcherBase, whose dispatch() calls further
// ones: a pool's, a client's, also when what has waited is taken up.

const { now } = require('../wrapping/now')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')
const { tellWait } = require('./waits')

/** @typedef {{ wait: number, written: boolean }} Asked */

/** @type {WeakMap<object, Asked>} by handler, and by request */
const asked = new WeakMap()
/** @type {Asked | null} what is dispatched now */
let dispatched = null

/** @returns {Asked} */
const ask = (/** @type {import('../servers/requests').Recording} */ { calls }) => ({ wait: tellWait(calls), written: false })

/** What runs dispatch(): of a handler that was seen before, unless it tries again. */
function begin (/** @type {any} */ _, /** @type {any} */ options, /** @type {any} */ handler) {
  const { recording } = now
  if (recording === null || handler === null || typeof handler !== 'object') return undefined
  const before = dispatched
  const known = asked.get(handler)
  dispatched = known !== undefined && !known.written ? known : before ?? ask(recording)
  asked.set(handler, dispatched)
  return () => { dispatched = before }
}

module.exports = {
  /** @param {any} exported the class DispatcherBase */
  meet (exported) {
    wrap([exported.prototype], 'dispatch', (dispatch) => unseen().within(dispatch, begin))
  },

  /** @param {object} request of undici's channels @param {import('../servers/requests').Recording} recording */
  created (request, recording) {
    asked.set(request, dispatched ?? ask(recording))
  },

  /** @param {object} request @returns {number} by which who asks was told; 0: it was not */
  writtenFor (request) {
    const found = asked.get(request)
    if (found === undefined || found.written) return 0
    found.written = true
    return found.wait
  }
}
