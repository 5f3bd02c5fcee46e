'use strict'

// Hono hands each handler to its router together with its route, and calls it
// with a context that holds Node's request. The handler that is called last is
// the route's: those before it are middleware.

const { whileRecording } = require('../wrapping/now')
const { leaveRoute } = require('../servers/open-requests')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

/** @type {WeakSet<object>} the pairs that have been met: one router hands them to the next */
const met = new WeakSet()

// Whatever recording is now: what is added once is called for ever.
function onAdd (/** @type {any} */ router, /** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ pair) {
  if (!Array.isArray(pair) || typeof pair[0] !== 'function' || typeof pair[1]?.path !== 'string' || met.has(pair)) return
  met.add(pair)
  const [handler, route] = pair
  if (isForAll(route)) return
  pair[0] = Object.defineProperties(unseen().before(handler, whileRecording((_, context) => leave(context, route))), Object.getOwnPropertyDescriptors(handler))
}

// As middleware mostly is.
function isForAll ({ method, path }) {
  return method === 'ALL' && path.endsWith('*')
}

function leave (/** @type {any} */ context, /** @type {any} */ route) {
  const request = context.env?.incoming
  if (request !== undefined) leaveRoute(request, route)
}

module.exports = {
  meet (exported) {
    for (const { prototype } of Object.values(exported)) {
      if (typeof prototype?.add === 'function') wrap([prototype], 'add', (add) => unseen().before(add, onAdd))
    }
  }
}
