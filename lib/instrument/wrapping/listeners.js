'use strict'

// Listeners that are not counted: each one more is one less until Node warns
// the application of a leak, and may be looked at. One that is there already,
// mostly Node's own, does it: as the wrapper that once() puts in a listener's
// place, it goes by the name of that one wherever listeners are counted, listed
// or removed.

const { unseen } = require('./unseen')

/** @typedef {(emitter: any, ...values: any[]) => void} Tell */

/** @type {WeakMap<Function, Tell>} what those that stand in the place of others tell */
const telling = new WeakMap()

/**
 * Has `tell` called when `emitter` has emitted `event`; no more when the
 * application removes the listener that does it.
 * @param {any} emitter
 * @param {string} event
 * @param {Tell} tell
 */
function listenAfter (emitter, event, tell) {
  const stands = stand(emitter, event, tell, (listener) => unseen().after(listener, tell))
  if (!stands) emitter.on(event, toldBy(tell))
}

/** The same, before other listeners are called, with what is emitted. Once, however often it is asked for. */
function listenBefore (/** @type {any} */ emitter, /** @type {string} */ event, /** @type {Tell} */ tell) {
  if (listenersOf(emitter, event).some((listener) => telling.get(listener) === tell)) return
  const stands = stand(emitter, event, tell, (listener) => unseen().before(listener, tell))
  if (!stands) emitter.prependListener(event, toldBy(tell))
}

// There is no other to stand in the place of.
function toldBy (/** @type {Tell} */ tell) {
  const listener = /** @this {any} */ function (/** @type {any[]} */ ...values) { tell(this, ...values) }
  telling.set(listener, tell)
  return listener
}

function stand (emitter, event, tell, around) {
  const all = listenersOf(emitter, event)
  // Not in that of one of once(), which goes, and has a name of its own.
  const at = all.findIndex((listener) => typeof listener === 'function' && listener.listener === undefined)
  if (at < 0) return false
  const both = around(all[at])
  both.listener = all[at]
  telling.set(both, tell)
  if (Array.isArray(emitter._events[event])) all[at] = both
  else emitter._events[event] = both
  return true
}

/** @returns {any[]} */
function listenersOf (/** @type {any} */ emitter, /** @type {string} */ event) {
  const present = emitter._events?.[event]
  if (Array.isArray(present)) return present
  return present === undefined ? [] : [present]
}

module.exports = { listenAfter, listenBefore }
