'use strict'

// Tells a boosting policy when each HTTP request begins and ends. What a
// framework will match is not known at its begin: the route is its path with
// what looks like an id folded.

const channels = require('node:diagnostics_channel')

const { Given } = require('../wrapping/given')
const { listenAfter } = require('../wrapping/listeners')

/** A response, and the number of its request until that ends. */
class Boosted extends Given {
  #id

  constructor (/** @type {any} */ response, /** @type {number} */ id) {
    super(response)
    this.#id = id
  }

  /** @returns {number} its number; 0 when it has ended */
  static end (/** @type {any} */ response) {
    if (!(#id in response)) return 0
    const id = response.#id
    response.#id = 0
    return id
  }
}

/**
 * @param {{ boostRequestBegin: (route: number) => number, boostRequestEnd: (request: number) => void }} native
 * @param {import('./routes').RouteTable} routes
 * @returns {() => void} undoes it
 */
function instrumentBoostRequests (native, routes) {
  function onStart (/** @type {any} */ { request, response }) {
    new Boosted(response, native.boostRequestBegin(routes.numberOf(request))) // eslint-disable-line no-new
    listenAfter(response, 'close', end)
  }
  function onFinish (/** @type {any} */ { response }) {
    end(response)
  }
  function end (/** @type {any} */ response) {
    const id = Boosted.end(response)
    if (id !== 0) native.boostRequestEnd(id)
  }
  channels.subscribe('http.server.request.start', onStart)
  channels.subscribe('http.server.response.finish', onFinish)
  return () => {
    channels.unsubscribe('http.server.request.start', onStart)
    channels.unsubscribe('http.server.response.finish', onFinish)
  }
}

module.exports = { instrumentBoostRequests }
