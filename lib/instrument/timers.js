'use strict'

// Causality through timers and immediates. Node runs all that are due in one
// event; each callback begins a slice of it, whose cause is who set the timer.
// A call per timer that runs, none per event.

const { syncBuiltinESMExports } = require('node:module')
const timers = require('node:timers')

const NAMES = /** @type {const} */ (['setTimeout', 'setInterval', 'setImmediate'])

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentTimers ({ calls, idsKnown }) {
  if (!idsKnown) return () => {}
  const undo = NAMES.map((name) => wrap(name, calls))
  syncBuiltinESMExports()
  return () => {
    for (const step of undo) step()
    syncBuiltinESMExports()
  }
}

function wrap (name, calls) {
  const original = timers[name]
  const wrapper = /** @type {any} */ function (callback, ...args) {
    // What is no function is Node's to refuse.
    return original(typeof callback === 'function' ? sliced(callback, calls) : callback, ...args)
  }
  // Its name, its length and what util.promisify asks for.
  Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
  const holders = [timers, globalThis].filter((holder) => holder[name] === original)
  for (const holder of holders) holder[name] = wrapper
  return () => {
    for (const holder of holders) {
      if (holder[name] === wrapper) holder[name] = original // else wrapped again by somebody
    }
  }
}

function sliced (callback, calls) {
  return function () {
    calls.sliceOfId()
    return Reflect.apply(callback, this, arguments)
  }
}

module.exports = { instrumentTimers }
