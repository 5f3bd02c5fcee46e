'use strict'

// Hapi keeps the route on a request of its own, which it makes of Node's.

const { whileRecording } = require('../wrapping/now')
const { leaveRoute } = require('../servers/open-requests')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

const note = whileRecording((/** @type {any} */ _, /** @type {any} */ request, /** @type {any} */ server, /** @type {any} */ raw) => {
  leaveRoute(raw, () => routeOf(request)) // It is matched later.
})

// Where nothing matches, Hapi has a route of its own, of any path.
function routeOf (/** @type {any} */ request) {
  const path = request._route?._special ? undefined : request.route?.path
  return typeof path === 'string' ? path : undefined
}

module.exports = {
  meet (Request) {
    wrap([Request], 'generate', (generate) => unseen().after(generate, note))
  }
}
