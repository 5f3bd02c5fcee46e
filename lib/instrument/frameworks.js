'use strict'

// Frameworks that do not leave the matched route on Node's request: Fastify
// tells it on a channel, Koa keeps it in its context. Express needs nothing.

const channels = require('node:diagnostics_channel')
const Module = /** @type {any} */ (require('node:module'))
const { kRoute } = require('./routes')

const kPatched = Symbol.for('edgewise.koa')

/** @returns {() => void} undoes it */
function instrumentFrameworks () {
  channels.subscribe('tracing:fastify.request.handler:start', onFastifyHandler)
  const load = Module._load
  Module._load = function (name) {
    const exported = Reflect.apply(load, this, arguments)
    if (name === 'koa') patchKoa(exported)
    return exported
  }
  return () => {
    channels.unsubscribe('tracing:fastify.request.handler:start', onFastifyHandler)
    Module._load = load
  }
}

function onFastifyHandler (/** @type {any} */ { request, route }) {
  if (request?.raw && route?.url) request.raw[kRoute] = route.url
}

// The router writes ctx._matchedRoute later: ask when the request ends.
function patchKoa (Koa) {
  const prototype = Koa?.prototype
  if (!prototype?.createContext || prototype[kPatched]) return
  const createContext = prototype.createContext
  prototype[kPatched] = true
  prototype.createContext = function (request, response) {
    const context = Reflect.apply(createContext, this, arguments)
    request[kRoute] = () => typeof context._matchedRoute === 'string' ? context._matchedRoute : undefined
    return context
  }
}

module.exports = { instrumentFrameworks }
