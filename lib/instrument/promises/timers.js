'use strict'

// Causality through timers and immediates. Node runs all that are due in one
// event; each callback begins a slice of it, whose cause is who set the timer,
// and which was ready when that timer was due. A call per timer that runs, none
// per event.

const { syncBuiltinESMExports } = require('node:module')
const timers = require('node:timers')
const promisesOfTimers = require('node:timers/promises')
const { isProxy } = require('node:util/types')
const { Due } = require('./due')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

// What calls them back: Node's timers hold their callbacks under these names.
const NAMES = Object.entries({ setTimeout: '_onTimeout', setInterval: '_onTimeout', setImmediate: '_onImmediate' })

// Which give a promise; after its delay, where its options are.
const PROMISING = /** @type {[any, string, number][]} */ ([[promisesOfTimers, 'setTimeout', 1], [Object.getPrototypeOf(promisesOfTimers.scheduler), 'wait', 0]])
const MOST_MS = 2 ** 31 - 1

/** @param {any} delay as it was given @returns {number} as Node takes it, ms */
function delayOf (delay) {
  return delay >= 1 && delay <= MOST_MS ? Math.trunc(delay) : 1
}

/**
 * What may end a timer before it is due. Looked at without calling what the application may have put there.
 * @param {any} options
 * @returns {{ sure: boolean, signal?: AbortSignal }}
 */
function signalOf (options) {
  if (options === undefined || options === null) return { sure: true }
  if (typeof options !== 'object' || isProxy(options)) return { sure: false }
  const property = Object.getOwnPropertyDescriptor(options, 'signal')
  if (property === undefined) return { sure: true }
  const { value } = property
  return value instanceof AbortSignal && !isProxy(value) ? { sure: true, signal: value } : { sure: false }
}

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentTimers ({ calls, following, idsKnown }) {
  if (!idsKnown) return () => {}
  const tell = () => following.timerSet()
  // Node's timers know when they began and how long they take, on a clock of
  // the environment's own: where that is on the loop's clock the first one tells.
  let clockKnown = false
  const made = (/** @type {any} */ timer) => {
    if (clockKnown || typeof timer?._idleStart !== 'number') return
    clockKnown = true
    calls.timerClock(timer._idleStart)
  }
  const begin = (/** @type {any} */ timer) => calls.sliceOfId(clockKnown ? timer?._idleStart + timer?._idleTimeout : NaN)
  // The promise is resolved in that timer's turn, and so is what waits for it.
  const promised = (at) => (_, promise, delay, ...others) => {
    const { sure, signal } = signalOf(others[at])
    if (sure) Due.mark(promise, calls.timerAfter(delayOf(delay)), signal)
  }
  const undo = NAMES.map(([name, property]) => wrap([timers, globalThis], name, (original) => unseen().timing(original, property, tell, made, begin)))
  for (const [holder, name, at] of PROMISING) undo.push(wrap([holder], name, (original) => unseen().after(original, promised(at))))
  syncBuiltinESMExports()
  return () => {
    for (const step of undo) step()
    syncBuiltinESMExports()
  }
}

module.exports = { instrumentTimers }
