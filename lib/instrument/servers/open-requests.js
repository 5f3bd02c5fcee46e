'use strict'

// The HTTP/1.1 requests of this thread that have begun and not ended, by
// connection. The one that began last is mostly the next to be routed and to
// end: it is known without a look at its objects, which frameworks make slow.

const { Given } = require('../wrapping/given')
const { listenAfter } = require('../wrapping/listeners')

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

/** A connection, and what is open on it. */
class Serving extends Given {
  /** @type {OpenRequests} */
  #opened

  constructor (/** @type {any} */ socket, /** @type {OpenRequests} */ opened) {
    super(socket)
    this.#opened = opened
  }

  /** @returns {OpenRequests | undefined} */
  static on (/** @type {any} */ socket) {
    return #opened in socket ? socket.#opened : undefined
  }

  static renew (/** @type {any} */ socket, /** @type {OpenRequests} */ opened) {
    socket.#opened = opened
  }
}

/** A request that is not the latest, or a stream of HTTP/2, and the route that it was matched with. */
class Matched extends Given {
  /** @type {any} */
  #route

  constructor (/** @type {any} */ request, /** @type {any} */ route) {
    super(request)
    this.#route = route
  }

  static leave (/** @type {any} */ request, /** @type {any} */ route) {
    if (#route in request) request.#route = route
    else new Matched(request, route) // eslint-disable-line no-new
  }

  static routeOf (/** @type {any} */ request) {
    return #route in request ? request.#route : undefined
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
  const opened = Serving.on(socket)
  if (opened !== undefined && opened.recording === recording) {
    latest = opened
  } else {
    latest = new OpenRequests(socket)
    if (opened === undefined) begin(socket, latest)
    else Serving.renew(socket, latest)
  }
  latest.add(response, id)
  return overlaps
}

function begin (/** @type {any} */ socket, /** @type {OpenRequests} */ opened) {
  new Serving(socket, opened) // eslint-disable-line no-new
  listenAfter(socket, 'close', onClose)
}

function onClose (/** @type {any} */ socket) {
  const opened = openOf(socket)
  if (opened !== undefined) recording?.onClose(opened)
}

/** @returns {OpenRequests | undefined} those of a connection */
function openOf (/** @type {any} */ socket) {
  const opened = typeof socket === 'object' && socket !== null ? Serving.on(socket) : undefined
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
  else Matched.leave(isOfHttp2(request) ? request.stream : request, route)
}

// Of Node's compatible API: its requests know their stream.
function isOfHttp2 (/** @type {any} */ request) {
  return typeof request.stream?.respond === 'function'
}

/**
 * @param {any} request Node's own object; of HTTP/2, the stream
 * @returns {any} what leaveRoute() left, if it was not the latest then
 */
function routeLeftOn (request) {
  return Matched.routeOf(request)
}

module.exports = { beginOpen, open, openOf, latestOpen, forgetOpen, leaveRoute, routeLeftOn }
