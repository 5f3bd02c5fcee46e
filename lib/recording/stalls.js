'use strict'

// Events of this thread that ran for too long, told to the application when
// they are over.

const { EventEmitter } = require('node:events')
const binding = require('../native/binding')

const NAME = 'stall'
const emitter = new EventEmitter()

/** @param {string} name @param {(stall: any) => void} listener */
function on (name, listener) {
  check(name)
  emitter.on(NAME, listener)
  if (emitter.listenerCount(NAME) === 1) binding.load().onStall((/** @type {unknown} */ stall) => emitter.emit(NAME, stall))
}

/** @param {string} name @param {(stall: any) => void} listener */
function off (name, listener) {
  check(name)
  const before = emitter.listenerCount(NAME)
  emitter.off(NAME, listener)
  if (before > 0 && emitter.listenerCount(NAME) === 0) binding.load().onStall(null)
}

function check (/** @type {string} */ name) {
  if (name !== NAME) throw new TypeError(`edgewise.on(name, listener): name is ${JSON.stringify(name)}; '${NAME}' is allowed`)
}

module.exports = { off, on }
