'use strict'

// Fastify does not leave the matched route on Node's request: its handlers do,
// in each server that is made from now on, at a tenth of the price of the
// channel on which it tells them request by request.

const channels = require('node:diagnostics_channel')

const HANDLER_CHANNEL = 'tracing:fastify.request.handler:start'

let seen = false
channels.subscribe('fastify.initialization', (/** @type {any} */ { fastify }) => {
  seen = true
  const leaveRoute = loadLeaveRoute()
  fastify.addHook('onRoute', (/** @type {any} */ options) => {
    if (typeof options.handler === 'function') options.handler = leavingRoute(leaveRoute, options.handler, options.url)
  })
})

// Not before: other servers have no use for it while nothing records.
function loadLeaveRoute () {
  return require('./open-requests').leaveRoute
}

// With what plugins ask of a handler: its name, its length, whether it is an
// async function, and what they have left on it.
function leavingRoute (leaveRoute, handler, path) {
  const route = { path }
  const wrapper = /** @type {any} */ function (/** @type {any} */ request) {
    leaveRoute(request.raw, route)
    return Reflect.apply(handler, this, arguments)
  }
  Object.setPrototypeOf(wrapper, Object.getPrototypeOf(handler))
  return Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(handler))
}

/** @returns {() => void} undoes it */
function instrumentFastify () {
  if (seen || !isLoaded()) return () => {}
  const leaveRoute = loadLeaveRoute()
  const onHandler = (/** @type {any} */ { request, route }) => {
    if (request?.raw && route?.url) leaveRoute(request.raw, route.url) // Its object is the request's own: nothing can be kept on it.
  }
  channels.subscribe(HANDLER_CHANNEL, onHandler)
  return () => channels.unsubscribe(HANDLER_CHANNEL, onHandler)
}

function isLoaded () {
  return Object.keys(require.cache).some((file) => file.endsWith('/fastify/fastify.js'))
}

module.exports = { instrumentFastify }
