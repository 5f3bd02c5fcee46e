'use strict'

// Tells a boosting policy when each HTTP request begins and ends. What a
// framework will match is not known at its begin: the route is its path with
// what looks like an id folded.

const channels = require('node:diagnostics_channel')

const kRequest = Symbol('edgewise.boost')

/**
 * @param {{ boostRequestBegin: (route: number) => number, boostRequestEnd: (request: number) => void }} native
 * @param {import('./routes').RouteTable} routes
 * @returns {() => void} undoes it
 */
function instrumentBoostRequests (native, routes) {
  function onStart (/** @type {any} */ { request, response }) {
    response[kRequest] = native.boostRequestBegin(routes.numberOf(request))
    response.once('close', end)
  }
  function onFinish (/** @type {any} */ { response }) {
    end.call(response)
  }
  function end () {
    const id = this[kRequest]
    if (id === undefined || id === 0) return
    this[kRequest] = 0
    native.boostRequestEnd(id)
  }
  channels.subscribe('http.server.request.start', onStart)
  channels.subscribe('http.server.response.finish', onFinish)
  return () => {
    channels.unsubscribe('http.server.request.start', onStart)
    channels.unsubscribe('http.server.response.finish', onFinish)
  }
}

module.exports = { instrumentBoostRequests }
