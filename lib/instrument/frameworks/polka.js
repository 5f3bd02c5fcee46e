'use strict'

// Polka knows the pattern only while it looks for handlers: within its handler,
// for the request that this was given.

const { whileRecording } = require('../wrapping/now')
const { leaveRoute } = require('../servers/open-requests')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

/** @type {any} Node's request, whose handlers are looked for next */
let handled = null

const handling = whileRecording((/** @type {any} */ polka, /** @type {any} */ request) => { handled = request })

const found = whileRecording((/** @type {any} */ polka, /** @type {any} */ result, /** @type {string} */ method, /** @type {string} */ path) => {
  const request = handled
  handled = null
  const pattern = request === null || !result ? undefined : patternOf(polka, result, method, path)
  if (pattern !== undefined) leaveRoute(request, mountOf(request, path) + leading(pattern))
})

// Polka 0.5 keeps handlers by method and pattern. Polka 1 keeps no patterns:
// those of routes are noted as they are added.
function patternOf (polka, { handlers }, method, path) {
  if (Array.isArray(polka.routes)) return notedPattern(polka.routes, method, path)
  for (const name of [method, '*']) {
    const known = polka.handlers[name] ?? {}
    const pattern = Object.keys(known).find((each) => known[each] === handlers)
    if (pattern !== undefined) return pattern
  }
  return undefined
}

/** @type {WeakMap<object, string>} */
const patterns = new WeakMap()

function noteAdded (/** @type {any} */ polka, /** @type {any} */ result, /** @type {string} */ method, /** @type {any} */ pattern) {
  const added = Array.isArray(polka.routes) ? polka.routes.at(-1) : undefined
  if (typeof added === 'object') patterns.set(added, String(pattern))
}

// Middleware matches too, and was not added as a route.
function notedPattern (routes, method, path) {
  const methods = method === 'HEAD' ? ['HEAD', 'GET', ''] : [method, '']
  const route = routes.find((each) => patterns.has(each) && methods.includes(each.method) && each.pattern.test(path))
  return route && patterns.get(route)
}

// Of an application that another one has mounted: its path is cut.
function mountOf (request, path) {
  const original = String(request.originalUrl ?? request.url).split('?')[0]
  if (original.endsWith(path)) return original.slice(0, -path.length)
  return path === '/' ? original : ''
}

const leading = (/** @type {string} */ pattern) => pattern.startsWith('/') ? pattern : `/${pattern}`

module.exports = {
  meet (exported) {
    // Its class is not exported, but an application costs nothing until it listens.
    const Polka = Object.getPrototypeOf((exported.default ?? exported)())
    const Router = Object.getPrototypeOf(Polka)
    wrap([Polka], 'handler', (handler) => unseen().before(handler, handling))
    wrap([Router], 'find', (find) => unseen().after(find, found))
    wrap([Router], 'add', (add) => unseen().after(add, noteAdded))
  }
}
