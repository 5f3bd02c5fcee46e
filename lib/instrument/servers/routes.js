'use strict'

// The route of a request: its method and the pattern that its framework
// matched, else its path with what looks like an id folded. Never a query.

const { mountOf } = require('../frameworks/express')
const { nextRouteOf } = require('../frameworks/next')
const { Given } = require('../wrapping/given')
const { namedOf } = require('./named')
const { routeLeftOn } = require('./open-requests')
const { lookUp } = require('./properties')

const MAX_ROUTES = 2000
const MAX_PATHS = 20_000
/** A longer URL's path is folded each time: a client chooses how much memory it takes. */
const MAX_URL = 500
/** HTTP/2 clients can name any method; those that come later are one. */
const MAX_METHODS = 50
const OTHER_METHOD = '(other)'
/** What the application has put on a request may be anything. */
const UNREADABLE = '(unreadable)'

/** A route of a framework's, and what its number was the last time. */
class Numbered extends Given {
  /** @type {{ table: RouteTable, method: string, base: string, number: number }} */
  #last

  constructor (/** @type {any} */ route, last) {
    super(route)
    this.#last = last
  }

  static last (/** @type {any} */ route) {
    return #last in route ? route.#last : undefined
  }

  static renew (/** @type {any} */ route, last) {
    if (#last in route) route.#last = last
    else new Numbered(route, last) // eslint-disable-line no-new
  }
}

const ID_SEGMENT = new RegExp([
  '^\\d+$', // 42
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', // a UUID
  '^[0-9a-f]{16,}$', // a hash, an ObjectId
  '^(?=.*\\d)[\\w-]{10,}$', // a token with a digit in it
  '^\\w+[-_.~]\\d+$' // pad-17
].join('|'), 'i')

/**
 * @param {string} path without query
 * @returns {string} `path` with `:id` for each segment that looks like one
 */
function foldPath (path) {
  return path.split('/').map((part) => ID_SEGMENT.test(part) ? ':id' : part).join('/').slice(0, 200)
}

/** @param {string} url @returns {string} its path, without query and fragment */
function pathOf (url) {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const fragment = path.indexOf('#')
  return fragment < 0 ? path : path.slice(0, fragment)
}

/**
 * @param {Map<string, Map<string, number>>} maps by method
 * @param {string} method
 */
function mapOf (maps, method) {
  let known = maps.get(method)
  if (known === undefined) {
    const name = maps.size < MAX_METHODS ? method : OTHER_METHOD
    known = maps.get(name)
    if (known === undefined) maps.set(name, known = new Map())
  }
  return known
}

/** Gives each distinct route its number in the trace's string table. */
class RouteTable {
  /** @param {(text: string) => number} intern */
  constructor (intern) {
    this.intern = intern
    /** @type {Map<string, Map<string, number>>} method -> pattern -> number */
    this.patterns = new Map()
    /** @type {Map<string, Map<string, number>>} method -> url path -> number */
    this.paths = new Map()
    /** @type {Map<number, string>} what has been given a number */
    this.texts = new Map()
    this.routes = 0
    /** Whether requests have been Express's: from then on they and their responses are looked up (properties.js). */
    this.ofExpress = false
    /** @type {string | undefined} */
    this.lastMethod = undefined
    /** @type {Map<string, number>} */
    this.lastPaths = new Map()
  }

  /**
   * @param {any} request an IncomingMessage or what stands for one
   * @param {any} [left] what leaveRoute() left; by default what it left on the request
   * @param {any} [holder] what holds its names: of HTTP/2 the stream
   * @returns {number}
   */
  numberOf (request, left, holder = request) {
    try {
      const named = namedOf(holder)
      return named === undefined ? this.numberOfMatched(request, left) : this.numberOfNamed(request, left, named)
    } catch {
      return this.numberOfPattern('', UNREADABLE)
    }
  }

  numberOfNamed (/** @type {any} */ request, /** @type {any} */ left, /** @type {{ name: string | undefined, details: string[] }} */ { name, details }) {
    const number = name === undefined ? this.numberOfMatched(request, left) : this.numberOfPattern(request.method, name)
    return details.length === 0 ? number : this.numberOfDetailed(number, details.join(', '))
  }

  /** @returns {number} of the route of `number`, with more said about it */
  numberOfDetailed (/** @type {number} */ number, /** @type {string} */ detail) {
    return this.numberOfPattern('', `${this.texts.get(number) ?? ''} ${detail}`.trim())
  }

  /** The same; throws where the application's own properties of the request are not what Node and frameworks put there. */
  numberOfMatched (/** @type {any} */ request, /** @type {any} */ left) {
    const ofNext = nextRouteOf(request) // First: the framework that it runs in has one route for all of its pages.
    if (ofNext !== undefined) return this.numberOfPattern(request.method, ofNext)
    if (left === undefined) {
      const route = this.ofExpress ? lookUp(request, 'route') : request.route
      if (route?.path !== undefined) {
        this.ofExpress = true
        return this.numberOfRoute(lookUp(request, 'method'), lookUp(request, 'baseUrl') || '', route, request)
      }
      left = routeLeftOn(request)
    }
    if (typeof left === 'object') return this.numberOfRoute(request.method, '', left)
    const pattern = typeof left === 'function' ? left() : left
    if (pattern !== undefined) return this.numberOfPattern(request.method, pattern)
    const url = request.originalUrl || request.url || ''
    const known = this.pathsOf(request.method)
    let number = known.get(url)
    if (number !== undefined) return number
    const path = pathOf(typeof url === 'object' ? url.pathname : url) // Applications parse it in its place.
    number = known.get(path)
    if (number === undefined) {
      number = this.numberOfPattern(request.method, foldPath(path))
      if (known.size >= MAX_PATHS) known.clear()
      if (url.length <= MAX_URL) known.set(path, number) // A slice keeps all of `url`.
    }
    return number
  }

  /**
   * @param {string} method
   * @param {string} base where Express has mounted the route: the path of this request, not the pattern, which may have parameters
   * @param {any} route { path }, of a framework
   * @param {any} [request] Express's
   * @returns {number}
   */
  numberOfRoute (method, base, route, request) {
    const last = Numbered.last(route)
    if (last !== undefined && last.table === this && last.method === method && last.base === base) return last.number
    const mount = base === '' ? '' : mountOf(request, route, base) ?? foldPath(base)
    const number = this.numberOfPattern(method, `${mount}${route.path}`)
    Numbered.renew(route, { table: this, method, base, number })
    return number
  }

  /** @returns {Map<string, number>} path -> number */
  pathsOf (/** @type {string} */ method) {
    if (method === this.lastMethod) return this.lastPaths
    this.lastMethod = method
    return (this.lastPaths = mapOf(this.paths, method))
  }

  /**
   * @param {string} method
   * @param {string} pattern
   * @returns {number}
   */
  numberOfPattern (method, pattern) {
    const known = mapOf(this.patterns, method)
    let number = known.get(pattern)
    if (number === undefined) {
      const other = this.routes >= MAX_ROUTES
      const shown = this.patterns.has(method) ? method : OTHER_METHOD
      const text = `${shown} ${other ? '(other)' : pattern}`.trim()
      number = this.intern(text)
      this.texts.set(number, text)
      if (!other) this.routes++
      if (!other || known.size < MAX_PATHS) known.set(pattern, number)
    }
    return number
  }
}

module.exports = { RouteTable, foldPath, pathOf }
