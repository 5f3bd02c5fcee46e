'use strict'

// Causality through timers and immediates. Node runs all that are due in one
// event; each callback begins a slice of it, whose cause is who set the timer,
// and which was ready when that timer was due. A call per timer that runs, none
// per event.

const { syncBuiltinESMExports } = require('node:module')
const timers = require('node:timers')
const { unseen } = require('./unseen')
const { wrap } = require('./wrap')

// What calls them back: Node's timers hold their callbacks under these names.
const NAMES = Object.entries({ setTimeout: '_onTimeout', setInterval: '_onTimeout', setImmediate: '_onImmediate' })

/**
 * @param {import('./requests').Recording} recording
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
  const undo = NAMES.map(([name, property]) => wrap([timers, globalThis], name, (original) => unseen().timing(original, property, tell, made, begin)))
  syncBuiltinESMExports()
  return () => {
    for (const step of undo) step()
    syncBuiltinESMExports()
  }
}

module.exports = { instrumentTimers }
