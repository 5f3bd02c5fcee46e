'use strict'

// The HTTP/1.1 requests of this thread that have begun and not ended, by
// connection. The one that began last is mostly the next to be routed and to
// end: it is known without a look at its objects, which frameworks make slow.

const kOpen = Symbol('edgewise.open')
/** Where a route is left on a request that is not the latest: see leaveRoute(). */
const kRoute = Symbol('edgewise.route')

// The recording that runs: what an earlier one has left on a connection ends in
// none.
/** @type {{ onClose: (opened: OpenRequests) => void } | null} */
let recording = null

// Usually one a connection, so that a request needs neither an allocation nor a
// property on its objects. More when the client pipelines.
class OpenRequests {
  constructor (/** @type {any} */ socket) {
    this.socket = socket
    this.recording = recording
    this.response = null
    this.id = 0
    /** @type {any} */
    this.route = undefined
    /** @type {Map<any, number> | null} */
    this.others = null
  }

  // Of its two objects one is kept: a young object that an old one keeps is dear.
  add (/** @type {any} */ response, /** @type {number} */ id) {
    if (this.response === null) {
      this.response = response
      this.id = id
      this.route = undefined
    } else {
      this.others ??= new Map()
      this.others.set(response, id)
    }
  }

  /** @returns {number} its id, 0 when it is not open */
  idOf (/** @type {any} */ response) {
    if (this.response === response) return this.id
    return this.others?.get(response) ?? 0
  }

  /** @returns {any} what leaveRoute() left, if it was the latest then */
  routeOf (/** @type {any} */ response) {
    return this.response === response ? this.route : undefined
  }

  remove (/** @type {any} */ response) {
    if (this.response === response) this.response = null
    else this.others?.delete(response)
  }

  /** @returns {boolean} whether the connection writes it now, not one before it (Node's own mark) */
  isBeingWritten (/** @type {any} */ response) {
    return this.response === response && this.socket._httpMessage === response
  }

  /** @returns {any[]} */
  responses () {
    return [this.response, ...this.others?.keys() ?? []].filter((response) => response !== null)
  }
}

const NONE = new OpenRequests(null)
let latest = NONE

/**
 * A recording begins.
 * @param {(opened: OpenRequests) => void} onClose called with what is open when its connection closes
 */
function beginOpen (onClose) {
  recording = { onClose }
}

/**
 * A request begins.
 * @param {{ response: any, socket: any }} message Node's own
 * @param {number} id
 * @returns {boolean} whether the one that began before it is still open
 */
function open ({ response, socket }, id) {
  const overlaps = latest.response !== null
  latest = socket[kOpen]
  if (latest === undefined || latest.recording !== recording) {
    if (latest === undefined) socket.once('close', onClose)
    latest = socket[kOpen] = new OpenRequests(socket)
  }
  latest.add(response, id)
  return overlaps
}

/** @this {any} the connection */
function onClose () {
  const opened = openOf(this)
  if (opened !== undefined) recording?.onClose(opened)
}

/** @returns {OpenRequests | undefined} those of a connection */
function openOf (/** @type {any} */ socket) {
  const opened = socket?.[kOpen]
  return opened?.recording === recording ? opened : undefined
}

/** @returns {OpenRequests} those of the connection whose request began last */
function latestOpen () {
  return latest
}

/** Nothing is recorded any more: what began is forgotten. */
function forgetOpen () {
  latest = NONE
  recording = null
}

/**
 * A framework has matched `request`.
 * @param {any} request Node's own object
 * @param {{ path: string } | string | (() => string | undefined)} route an object if it is kept for other requests
 */
function leaveRoute (request, route) {
  if (latest.response?.req === request) latest.route = route
  else request[kRoute] = route
}

module.exports = { beginOpen, open, openOf, latestOpen, forgetOpen, leaveRoute, kRoute }
