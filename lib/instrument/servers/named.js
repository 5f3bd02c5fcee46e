'use strict'

// What a request is called besides, or instead of, its framework's route: the
// name that edgewise.route() gives it, GraphQL's operations, what it waits for by design.

const { AsyncLocalStorage } = require('node:async_hooks')
const channels = require('node:diagnostics_channel')
const { Given } = require('../wrapping/given')

/** Of one request; more operations in one are not told. */
const MAX_DETAILS = 3

let some = false

class Named extends Given {
  /** @type {string | undefined} */
  #name = undefined
  /** @type {string[]} */
  #details = []

  static of (/** @type {any} */ request) {
    return #details in request ? { name: request.#name, details: request.#details } : undefined
  }

  static name (/** @type {any} */ request, /** @type {string} */ name) {
    if (!(#details in request)) new Named(request) // eslint-disable-line no-new
    request.#name = name
    some = true
  }

  static add (/** @type {any} */ request, /** @type {string} */ detail) {
    if (!(#details in request)) new Named(request) // eslint-disable-line no-new
    if (request.#details.length < MAX_DETAILS && !request.#details.includes(detail)) request.#details.push(detail)
    some = true
  }
}

/** @returns {any} what is kept for as long as the request is open, also where a framework has made objects of its own: of HTTP/2 the stream */
function holderOf (/** @type {any} */ request) {
  return typeof request.stream?.respond === 'function' ? request.stream : request
}

/** The name comes in the place of the route's pattern. */
const nameRequest = (/** @type {any} */ request, /** @type {string} */ name) => Named.name(holderOf(request), name)

/** The detail is told after the route. */
const addDetail = (/** @type {any} */ request, /** @type {string} */ detail) => Named.add(holderOf(request), detail)

/** @returns {{ name: string | undefined, details: string[] } | undefined} */
function namedOf (/** @type {any} */ holder) {
  return some ? Named.of(holder) : undefined
}

/** @type {AsyncLocalStorage<any> | null} */
let storage = null
/** @type {(() => void) | null} */
let undo = null

// Node follows requests at a price: only where somebody asks whose the work is.
function followCurrent () {
  if (undo !== null) return
  const current = storage ??= new AsyncLocalStorage()
  const enter = (/** @type {any} */ { request }) => current.enterWith(request)
  channels.subscribe('http.server.request.start', enter)
  undo = () => {
    channels.unsubscribe('http.server.request.start', enter)
    current.disable()
  }
}

/** @returns {any} Node's request that the running code works for, of those that began since somebody has asked; else undefined */
function currentRequest () {
  followCurrent()
  return storage?.getStore()
}

function forgetCurrent () {
  undo?.()
  undo = null
}

module.exports = { addDetail, currentRequest, followCurrent, forgetCurrent, nameRequest, namedOf }
