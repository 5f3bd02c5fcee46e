'use strict'

// Next.js keeps what it knows of a request on Node's request, under a symbol of
// its own, whatever server it runs in: the route is read there when the request
// ends. Nothing of it is replaced.

/** @type {symbol | undefined} undefined: this thread has not loaded Next */
let key

/** The answers to these requests are files that `next build` has made. */
const STATIC = '/_next/static/'

/**
 * @param {any} request Node's own
 * @returns {string | undefined} the pattern of its page or route; undefined if it is not Next's, or Next has not matched it
 */
function nextRouteOf (request) {
  if (key === undefined) return undefined
  const known = request[key]
  if (typeof known !== 'object' || known === null) return undefined
  // A page that fails or finds nothing is answered by another one, which is then the match.
  const { invokeOutput: output } = known
  if (typeof output === 'string' && output.startsWith('/')) return output
  const path = known.match?.definition?.pathname
  return typeof path === 'string' ? path : staticRouteOf(request.url)
}

// One for all, whose names have a hash of what is in them.
function staticRouteOf (/** @type {any} */ url) {
  const found = typeof url === 'string' ? url.split('?')[0].indexOf(STATIC) : -1
  return found < 0 ? undefined : `${url.slice(0, found)}${STATIC}*`
}

/** @type {import('../wrapping/modules').Met} */
const next = {
  name: 'Next.js',
  file: /\/next\/dist\/server\/request-meta\.js$/,
  meet ({ NEXT_REQUEST_META: symbol }) {
    if (typeof symbol !== 'symbol') throw new TypeError('there is no symbol NEXT_REQUEST_META')
    key = symbol
  }
}

module.exports = { next, nextRouteOf }
