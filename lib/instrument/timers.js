'use strict'

// Causality through timers and immediates. Node runs all that are due in one
// event; each callback begins a slice of it, whose cause is who set the timer.
// A call per timer that runs, none per event.

const { syncBuiltinESMExports } = require('node:module')
const timers = require('node:timers')
const { wrap } = require('./wrap')

const NAMES = /** @type {const} */ (['setTimeout', 'setInterval', 'setImmediate'])

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentTimers ({ calls, following, idsKnown }) {
  if (!idsKnown) return () => {}
  const undo = NAMES.map((name) => wrap([timers, globalThis], name, (original) => /** @type {any} */ function (callback, ...args) {
    following.timerSet()
    // What is no function is Node's to refuse.
    return original(typeof callback === 'function' ? sliced(callback, calls) : callback, ...args)
  }))
  syncBuiltinESMExports()
  return () => {
    for (const step of undo) step()
    syncBuiltinESMExports()
  }
}

function sliced (callback, calls) {
  return function () {
    calls.sliceOfId()
    return Reflect.apply(callback, this, arguments)
  }
}

module.exports = { instrumentTimers }
