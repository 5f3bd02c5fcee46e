'use strict'

// Causality through timers and immediates. Node runs all that are due in one
// event; each callback begins a slice of it, whose cause is who set the timer.
// A call per timer that runs, none per event.

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
  const begin = () => calls.sliceOfId()
  const undo = NAMES.map(([name, property]) => wrap([timers, globalThis], name, (original) => unseen().timing(original, property, tell, begin)))
  syncBuiltinESMExports()
  return () => {
    for (const step of undo) step()
    syncBuiltinESMExports()
  }
}

module.exports = { instrumentTimers }
