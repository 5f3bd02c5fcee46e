'use strict'

// The pattern at which a router of Express is mounted. What Express leaves on a
// request is the path that matched it (baseUrl). The pattern is found by going
// through the routers of its application, without a change to them: where the
// router holds no pattern, each part of the path is replaced by another one,
// and is a parameter's if the router still matches.

/** A part of no path, and a number, for parameters that must be one. */
const PROBES = ['edgewise-probe', '730519']
/** Of one route; more means that clients choose them. */
const MAX_PATTERNS = 50
const MAX_DEPTH = 20

/** @typedef {{ chains: any[][], patterns: string[][] }} Mounted how a route's router is reached; the patterns found, in parts */

/** @type {WeakMap<object, WeakMap<object, Mounted>>} by application and route: a router may be mounted in several */
const known = new WeakMap()

/**
 * @param {any} request Express's
 * @param {any} route that it was matched with
 * @param {string} base the path that its routers have matched
 * @returns {string | undefined} their pattern; undefined: it cannot be told
 */
function mountOf (request, route, base) {
  const mounted = mountedIn(request.app, route)
  const parts = base.split('/')
  // Where there are several ways, a pattern of one of them may match the path of another.
  const fits = (/** @type {string[]} */ pattern) => pattern.length === parts.length && pattern.every((part, i) => part.includes(':') || part === parts[i])
  const fitting = mounted.chains.length === 1 ? mounted.patterns.find(fits) : undefined
  if (fitting !== undefined) return fitting.join('/')
  for (const chain of mounted.chains) {
    const pattern = patternOf(chain, base)
    if (pattern === undefined) continue
    if (mounted.patterns.length < MAX_PATTERNS) mounted.patterns.push(pattern.split('/'))
    return pattern
  }
  return undefined
}

/** @returns {Mounted} */
function mountedIn (/** @type {any} */ app, /** @type {any} */ route) {
  if (typeof app !== 'function') return { chains: [], patterns: [] } // It is not Express that has the router.
  let routes = known.get(app)
  if (routes === undefined) known.set(app, routes = new WeakMap())
  let mounted = routes.get(route)
  if (mounted === undefined || mounted.chains.length === 0) routes.set(route, mounted = { chains: chainsTo(route, app), patterns: [] })
  return mounted
}

/** @returns {any[][]} layers, from the outermost application inwards */
function chainsTo (/** @type {any} */ route, /** @type {any} */ app) {
  const outside = mountsOf(app)
  return chainsIn(stackOf(app), route, 0).map((inside) => [...outside, ...inside])
}

// Express hides an application that it mounts in a function, but tells the
// application where that is.
function mountsOf (/** @type {any} */ app) {
  const mounts = []
  for (let each = app; each?.parent && mounts.length < MAX_DEPTH; each = each.parent) mounts.unshift({ rawPath: each.mountpath })
  return mounts
}

function chainsIn (/** @type {any[]} */ stack, /** @type {any} */ route, /** @type {number} */ depth) {
  /** @type {any[][]} */
  const chains = []
  if (depth > MAX_DEPTH) return chains
  for (const layer of stack) {
    if (layer.route === route) chains.push([])
    else if (layer.route === undefined) for (const chain of chainsIn(stackOf(layer.handle), route, depth + 1)) chains.push([layer, ...chain])
  }
  return chains
}

/** @returns {any[]} the layers of a router, or of an application */
function stackOf (/** @type {any} */ handle) {
  const stack = handle?.stack ?? (handle?._router ?? routerOf(handle))?.stack
  return Array.isArray(stack) ? stack : []
}

function routerOf (/** @type {any} */ app) {
  try {
    return typeof app?.set === 'function' ? app.router : undefined
  } catch {
    return undefined // Express 4 refuses: this application has no routes.
  }
}

function patternOf (/** @type {any[]} */ chain, /** @type {string} */ base) {
  let rest = base
  let pattern = ''
  for (const layer of chain) {
    const matched = pieceOf(layer, rest)
    if (matched === undefined) return undefined
    pattern += matched.pattern
    rest = rest.slice(matched.path.length)
  }
  return rest === '' ? pattern : undefined
}

/** @returns {{ path: string, pattern: string } | undefined} what a layer matches at the begin of `rest` */
function pieceOf (/** @type {any} */ layer, /** @type {string} */ rest) {
  for (const declared of [layer.rawPath].flat()) {
    const path = typeof declared === 'string' ? pathOf(declared, rest) : undefined
    if (path !== undefined) return { path, pattern: declared.replace(/\/$/, '') }
  }
  const match = matching(layer, rest || '/')
  if (match === undefined) return undefined
  const path = match.path.replace(/\/$/, '')
  const parts = path.split('/')
  const named = parts.map((part, i) => part === '' ? part : nameOf(layer, parts, i) ?? part)
  return { path, pattern: named.join('/') }
}

// As far as a pattern is of parts that are parameters or not.
function pathOf (/** @type {string} */ pattern, /** @type {string} */ rest) {
  const wanted = pattern.replace(/\/$/, '').split('/')
  const parts = rest.split('/').slice(0, wanted.length)
  const fits = parts.length === wanted.length && wanted.every((part, i) => part.includes(':') || part.toLowerCase() === parts[i].toLowerCase())
  return fits ? parts.join('/') : undefined
}

/** @returns {string | undefined} what a pattern has in the place of the part: undefined, the part itself */
function nameOf (/** @type {any} */ layer, /** @type {string[]} */ parts, /** @type {number} */ i) {
  for (const probe of PROBES) {
    const { params = {} } = matching(layer, parts.with(i, probe).join('/')) ?? {}
    for (const name of Object.keys(params)) {
      const value = [params[name]].flat().join('/')
      if (value === probe) return `:${name}`
      if (value.includes(probe)) return `*${name}`
    }
  }
  return undefined
}

/** @returns {{ path: string, params: Record<string, any> } | undefined} */
function matching (/** @type {any} */ layer, /** @type {string} */ path) {
  if (layer.slash || layer.regexp?.fast_slash) return { path: '', params: {} }
  if (layer.regexp) return matchingRegExp(layer, path)
  for (const matcher of layer.matchers ?? []) {
    const match = matcher(path)
    if (match) return match
  }
  return undefined
}

// Express 4.
function matchingRegExp (/** @type {any} */ { regexp, keys }, /** @type {string} */ path) {
  const match = regexp.exec(path)
  if (match === null) return undefined
  return { path: match[0], params: Object.fromEntries(keys.map((/** @type {any} */ key, /** @type {number} */ i) => [key.name, match[i + 1]])) }
}

module.exports = { mountOf }
