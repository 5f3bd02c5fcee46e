'use strict'

// Frameworks that do not leave the matched route on Node's request: Fastify's
// handlers leave it there, Koa keeps it in its context. Express needs nothing.

const channels = require('node:diagnostics_channel')
const Module = /** @type {any} */ (require('node:module'))
const { leaveRoute } = require('./open-requests')

const kPatched = Symbol.for('edgewise.koa')
/** What no other class has together. */
const KOA = ['callback', 'createContext', 'handleRequest', 'onerror']
const HANDLER_CHANNEL = 'tracing:fastify.request.handler:start'

// Each Fastify that is made from now on has its handlers leave their routes, at
// a tenth of the price of the channel on which it tells them request by request.
let fastifySeen = false
channels.subscribe('fastify.initialization', (/** @type {any} */ { fastify }) => {
  fastifySeen = true
  fastify.addHook('onRoute', (/** @type {any} */ options) => {
    if (typeof options.handler === 'function') options.handler = leavingRoute(options.handler, options.url)
  })
})

// With what plugins ask of a handler: its name, its length, whether it is an
// async function, and what they have left on it.
function leavingRoute (handler, path) {
  const route = { path }
  const wrapper = /** @type {any} */ function (/** @type {any} */ request) {
    leaveRoute(request.raw, route)
    return Reflect.apply(handler, this, arguments)
  }
  Object.setPrototypeOf(wrapper, Object.getPrototypeOf(handler))
  return Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(handler))
}

// Koa is met where its file is run, required or imported, under whatever name.
const { load } = Module.prototype
Module.prototype.load = function () {
  const result = Reflect.apply(load, this, arguments)
  patchIfKoa(this)
  return result
}

let recording = false

/** @returns {() => void} undoes it */
function instrumentFrameworks () {
  const lateForFastify = !fastifySeen && fastifyLoaded()
  if (lateForFastify) channels.subscribe(HANDLER_CHANNEL, onFastifyHandler)
  for (const module of Object.values(Module._cache)) patchIfKoa(module)
  recording = true
  return () => {
    if (lateForFastify) channels.unsubscribe(HANDLER_CHANNEL, onFastifyHandler)
    recording = false
  }
}

function fastifyLoaded () {
  return Object.keys(Module._cache).some((file) => file.endsWith('/fastify/fastify.js'))
}

function onFastifyHandler (/** @type {any} */ { request, route }) {
  if (request?.raw && route?.url) leaveRoute(request.raw, route.url) // Its object is the request's own: nothing can be kept on it.
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

module.exports = { instrumentFrameworks }
