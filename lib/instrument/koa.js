'use strict'

// Koa keeps the matched route in its context, not on Node's request. It is met
// where its file is run, required or imported, under whatever name; what was
// loaded before the first recording, in the cache of modules.

const Module = /** @type {any} */ (require('node:module'))
const { leaveRoute } = require('./open-requests')

const kPatched = Symbol.for('edgewise.koa')
/** What no other class has together. */
const KOA = ['callback', 'createContext', 'handleRequest', 'onerror']

const { load } = Module.prototype
Module.prototype.load = function () {
  const result = Reflect.apply(load, this, arguments)
  patchIfKoa(this)
  return result
}

let recording = false

/** @returns {() => void} undoes it */
function instrumentKoa () {
  for (const module of Object.values(Module._cache)) patchIfKoa(module)
  recording = true
  return () => { recording = false }
}

function patchIfKoa (/** @type {any} */ module) {
  try {
    const { exports: exported } = module // Of no module, when somebody has put something else into the cache.
    if (typeof exported !== 'function') return
    const { prototype } = exported
    if (KOA.every((name) => typeof prototype?.[name] === 'function') && !prototype[kPatched]) patchKoa(prototype)
  } catch { /* A proxy or an accessor that throws is no Koa, and its module loads as ever. */ }
}

function patchKoa (/** @type {any} */ prototype) {
  const { createContext } = prototype
  prototype[kPatched] = true
  prototype.createContext = function (request) {
    const context = Reflect.apply(createContext, this, arguments)
    // The router writes ctx._matchedRoute later: ask when the request ends.
    if (recording) leaveRoute(request, () => typeof context._matchedRoute === 'string' ? context._matchedRoute : undefined)
    return context
  }
}

module.exports = { instrumentKoa }
