'use strict'

// Koa keeps the matched route in its context, not on Node's request. It is met
// where its file is run, required or imported, under whatever name; what was
// loaded before recording, in the cache of modules.

const Module = /** @type {any} */ (require('node:module'))
const { leaveRoute } = require('./open-requests')
const { unseen } = require('./unseen')
const { wrap } = require('./wrap')

/** What no other class has together. */
const KOA = ['callback', 'createContext', 'handleRequest', 'onerror']

/** @type {WeakSet<object>} prototypes */
const met = new WeakSet()
let recording = false

/** @returns {() => void} undoes it */
function instrumentKoa () {
  for (const module of Object.values(Module._cache)) patchIfKoa(module)
  const undo = wrap([Module.prototype], 'load', (load) => unseen().after(load, patchIfKoa))
  recording = true
  return () => {
    recording = false
    undo()
  }
}

function patchIfKoa (/** @type {any} */ module) {
  try {
    const { exports: exported } = module // Of no module, when somebody has put something else into the cache.
    if (typeof exported !== 'function') return
    const { prototype } = exported
    if (KOA.every((name) => typeof prototype?.[name] === 'function') && !met.has(prototype)) patchKoa(prototype)
  } catch { /* A proxy or an accessor that throws is no Koa, and its module loads as ever. */ }
}

function patchKoa (/** @type {any} */ prototype) {
  met.add(prototype)
  // The router writes ctx._matchedRoute later: ask when the request ends.
  wrap([prototype], 'createContext', (createContext) => /** @this {any} */ function (/** @type {any} */ request) {
    const context = Reflect.apply(createContext, this, arguments) // Calls nothing of the application's.
    if (recording) leaveRoute(request, () => typeof context._matchedRoute === 'string' ? context._matchedRoute : undefined)
    return context
  })
}

module.exports = { instrumentKoa }
