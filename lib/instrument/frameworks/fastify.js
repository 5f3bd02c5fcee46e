'use strict'

// Fastify does not leave the matched route on Node's request. It makes a request
// of its own before the first hook is called, by a class that each server has,
// and gives that the route's context: there it is left, whoever answers.

const channels = require('node:diagnostics_channel')
const { Given } = require('../wrapping/given')

const HANDLER_CHANNEL = 'tracing:fastify.request.handler:start'

/** @typedef {typeof import('../servers/open-requests').leaveRoute} LeaveRoute */

// Of open-requests.js, while this thread records: other servers have no use for
// what that loads.
/** @type {LeaveRoute | null} */
let leaveRoute = null
let known = false // how the servers that were made since make their requests

channels.subscribe('fastify.initialization', (/** @type {any} */ { fastify }) => {
  known = meet(fastify)
  if (known) fastify.addHook('onRoute', function () { meet(this) }) // Of a plugin's own part, before its first route takes the class.
})

/** A route's context, and the route as leaveRoute() takes it. */
class Routed extends Given {
  /** @type {{ path: string } | undefined} */
  #route = undefined

  /** @returns {{ path: string } | undefined} none of a request that no route matches */
  static routeOf (/** @type {any} */ context) {
    if (#route in context) return context.#route
    new Routed(context) // eslint-disable-line no-new
    const path = context.config?.url
    return (context.#route = typeof path === 'string' ? { path } : undefined)
  }
}

/** @type {WeakMap<Function, any>} our classes, and those in whose place they are */
const originals = new WeakMap()

/**
 * @param {any} instance a server, or the part of it that a plugin has for itself
 * @returns {boolean} whether it makes its requests as known
 */
function meet (instance) {
  const key = Object.getOwnPropertySymbols(instance).find(({ description }) => description === 'fastify.Request')
  if (key === undefined || typeof instance[key] !== 'function') return false
  const Request = instance[key]
  if (!originals.has(Request)) instance[key] = leavingRoute(Request)
  return true
}

// What others decorate and inherit from in the place of `Request`.
function leavingRoute (/** @type {any} */ Request) {
  /** @type {any} */
  let Made = null
  const Leaving = /** @type {any} */ function (id, params, raw, query, log, context) {
    Made ??= madeBy(Leaving) // All plugins have been loaded by now.
    if (leaveRoute !== null) leave(raw, context)
    return new Made(id, params, raw, query, log, context)
  }
  Object.setPrototypeOf(Leaving, Request)
  Leaving.prototype = Request.prototype
  Leaving.parent = undefined // Fastify would go on to it.
  originals.set(Leaving, Request)
  return Leaving
}

// As Fastify chooses: the class of the first part, from this one outwards, in
// which somebody has decorated requests.
function madeBy (/** @type {any} */ Class) {
  const Request = originals.get(Class) ?? Class
  const decorated = [Class, Request].some((one) => Object.getOwnPropertySymbols(one).some(({ description }) => description === 'fastify.hasBeenDecorated'))
  return decorated || typeof Request.parent !== 'function' ? Request : madeBy(Request.parent)
}

function leave (raw, context) {
  const route = typeof context === 'object' && context !== null ? Routed.routeOf(context) : undefined
  if (route !== undefined) /** @type {LeaveRoute} */ (leaveRoute)(raw, route)
}

/** @returns {() => void} undoes it */
function instrumentFastify () {
  const { leaveRoute: leaves } = require('../servers/open-requests')
  leaveRoute = leaves
  const undo = known || !isLoaded() ? () => {} : followHandlers(leaves)
  return () => {
    leaveRoute = null
    undo()
  }
}

// Of servers that were made before we could meet them.
function followHandlers (/** @type {LeaveRoute} */ leaves) {
  const onHandler = (/** @type {any} */ { request, route }) => {
    if (request?.raw && route?.url) leaves(request.raw, route.url) // Its object is the request's own: nothing can be kept on it.
  }
  channels.subscribe(HANDLER_CHANNEL, onHandler)
  return () => channels.unsubscribe(HANDLER_CHANNEL, onHandler)
}

function isLoaded () {
  return Object.keys(require.cache).some((file) => file.endsWith('/fastify/fastify.js'))
}

module.exports = { instrumentFastify }
