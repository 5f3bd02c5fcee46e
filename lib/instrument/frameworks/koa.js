'use strict'

// Koa keeps the matched route in its context, not on Node's request. It is met
// under whatever name its file has, and, where it is a part of a bundle, as it
// looks for its listeners of errors: each application does before it serves.

const channels = require('node:diagnostics_channel')
const { EventEmitter } = require('node:events')
const { whileRecording } = require('../wrapping/now')
const { leaveRoute } = require('../servers/open-requests')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

/** What no other class has together. */
const KOA = ['callback', 'createContext', 'handleRequest', 'onerror']

/** @type {WeakSet<object>} prototypes */
const met = new WeakSet()

// The router writes ctx._matchedRoute later: it is asked when the request ends.
const note = whileRecording((/** @type {any} */ koa, /** @type {any} */ context, /** @type {any} */ request) => {
  leaveRoute(request, () => typeof context._matchedRoute === 'string' ? context._matchedRoute : undefined)
})

function isKoa (/** @type {any} */ prototype) {
  return KOA.every((name) => typeof prototype?.[name] === 'function')
}

function meet (/** @type {any} */ { prototype }) {
  if (met.has(prototype)) return
  met.add(prototype)
  wrap([prototype], 'createContext', (createContext) => unseen().after(createContext, note))
}

function meetApplication (/** @type {any} */ emitter, /** @type {any} */ event) {
  if (event !== 'error' || !isKoa(emitter)) return
  let prototype = emitter
  while (prototype !== null && !Object.hasOwn(prototype, 'createContext')) prototype = Object.getPrototypeOf(prototype)
  try {
    if (prototype !== null) meet({ prototype })
  } catch { /* It is frozen: its requests go by their paths. */ }
}

/** @returns {() => void} undoes it */
function instrument () {
  // Until requests come, which Node counts listeners for as well.
  const restore = wrap([EventEmitter.prototype], 'listenerCount', (listenerCount) => unseen().before(listenerCount, meetApplication))
  const undo = () => {
    restore()
    channels.unsubscribe('http.server.request.start', undo)
  }
  channels.subscribe('http.server.request.start', undo)
  return undo
}

/** @type {import('../wrapping/modules').Met} */
module.exports = {
  name: 'Koa',
  is: (exported) => typeof exported === 'function' && isKoa(exported.prototype),
  meet,
  instrument
}
