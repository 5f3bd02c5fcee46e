'use strict'

// Frameworks that do not leave the matched route on Node's request: Fastify's
// handlers leave it there, Koa keeps it in its context. Express needs nothing.

const channels = require('node:diagnostics_channel')
const Module = /** @type {any} */ (require('node:module'))
const { leaveRoute } = require('./open-requests')

const kPatched = Symbol.for('edgewise.koa')
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

function leavingRoute (handler, path) {
  const route = { path }
  return function (request) {
    leaveRoute(request.raw, route)
    return Reflect.apply(handler, this, arguments)
  }
}

/** @returns {() => void} undoes it */
function instrumentFrameworks () {
  const lateForFastify = !fastifySeen && fastifyLoaded()
  if (lateForFastify) channels.subscribe(HANDLER_CHANNEL, onFastifyHandler)
  const load = Module._load
  Module._load = function (name) {
    const exported = Reflect.apply(load, this, arguments)
    if (name === 'koa') patchKoa(exported)
    return exported
  }
  return () => {
    if (lateForFastify) channels.unsubscribe(HANDLER_CHANNEL, onFastifyHandler)
    Module._load = load
  }
}

function fastifyLoaded () {
  return Object.keys(Module._cache).some((file) => file.endsWith('/fastify/fastify.js'))
}

function onFastifyHandler (/** @type {any} */ { request, route }) {
  if (request?.raw && route?.url) leaveRoute(request.raw, route.url) // Its object is the request's own: nothing can be kept on it.
}

// The router writes ctx._matchedRoute later: ask when the request ends.
function patchKoa (Koa) {
  const prototype = Koa?.prototype
  if (!prototype?.createContext || prototype[kPatched]) return
  const createContext = prototype.createContext
  prototype[kPatched] = true
  prototype.createContext = function (request, response) {
    const context = Reflect.apply(createContext, this, arguments)
    leaveRoute(request, () => typeof context._matchedRoute === 'string' ? context._matchedRoute : undefined)
    return context
  }
}

module.exports = { instrumentFrameworks }
