'use strict'

// HTTP/1.1 and HTTPS servers. A request begins on Node's own diagnostics
// channel. It ends where its last byte is handed to the kernel: usually inside
// response.end(), whose caller is the sink event; else (a response larger than
// the socket takes at once, TLS) when the response says so.

const channels = require('node:diagnostics_channel')
const { ServerResponse } = require('node:http')
const { KIND, OUTCOME, WORD } = require('./requests')

const kOpen = Symbol('edgewise.open')

// The open requests of one connection: usually one, so that a request needs
// neither an allocation nor a property on its objects. More when the client
// pipelines.
class OpenRequests {
  constructor (/** @type {any} */ socket) {
    this.socket = socket
    this.response = null
    this.request = null
    this.id = 0
    /** @type {Map<any, number> | null} */
    this.others = null
  }

  add (/** @type {any} */ response, /** @type {any} */ request, /** @type {number} */ id) {
    if (this.response === null) {
      this.response = response
      this.request = request
      this.id = id
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

  remove (/** @type {any} */ response) {
    if (this.response === response) this.response = this.request = null
    else this.others?.delete(response)
  }

  /** @returns {boolean} whether no other one is open: what the connection writes is its own */
  isOnly (/** @type {any} */ response) {
    return this.response === response && (this.others === null || this.others.size === 0)
  }

  /** @returns {any[]} */
  responses () {
    return [this.response, ...this.others?.keys() ?? []].filter((response) => response !== null)
  }
}

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentHttp ({ calls, routes, words }) {
  // The request that begins an event is left in a word for the recorder
  // (SharedWords in src/recorder/event_tracker.h): no call.
  function begin () {
    if (words[WORD.begun] !== 0) return calls.requestStart(KIND.http1)
    return (words[WORD.begun] = words[WORD.next]++)
  }

  // Of the request that began last; it is mostly the next to end as well.
  let latest = new OpenRequests(null)

  function onStart (/** @type {any} */ { request, response, socket }) {
    const id = begin()
    let open = socket[kOpen]
    if (open === undefined) {
      open = socket[kOpen] = new OpenRequests(socket)
      socket.once('close', abortOpen)
    }
    open.add(response, request, id)
    latest = open
  }

  // Express gives the two objects prototypes of its own, request by request:
  // each property that is read of them, here and in the routes, is a miss of
  // the inline cache and costs some 150 ns.
  function end (open, response, request, outcome) {
    const id = open.idOf(response)
    open.remove(response)
    if (id === 0) return
    const route = routes.numberOf(request)
    const status = response.statusCode | 0
    if (outcome === OUTCOME.finished && words[WORD.written] !== 0 && words[WORD.ended] === 0) {
      // Its last byte was just written, as the recorder has seen: no call.
      words[WORD.endedRoute] = route
      words[WORD.endedStatus] = status
      words[WORD.ended] = id
    } else {
      calls.requestEnd(id, route, status, outcome)
    }
  }

  // The connection went away under its open responses.
  function abortOpen () {
    const open = this[kOpen]
    for (const response of open.responses()) end(open, response, response.req, OUTCOME.aborted)
  }

  function onFinish () {
    const open = this.req.socket?.[kOpen]
    if (open === undefined) return
    words[WORD.written] = 0 // The last write may have been another's.
    end(open, this, this.req, OUTCOME.finished)
  }

  const restoreEnd = wrapEnd((response) => {
    if (latest.isOnly(response)) {
      endOnceWritten(latest, response, latest.request, latest.socket.writableLength)
      return
    }
    const request = response.req // None when a test made the response.
    const open = request?.socket?.[kOpen]
    if (open === undefined || open.idOf(response) === 0) return // It began before recording did, or has ended.
    endOnceWritten(open, response, request, response.writableLength)
  }, words)

  function endOnceWritten (open, response, request, unwritten) {
    if (unwritten === 0) end(open, response, request, OUTCOME.finished)
    else response.once('finish', onFinish)
  }

  channels.subscribe('http.server.request.start', onStart)
  return () => {
    channels.unsubscribe('http.server.request.start', onStart)
    restoreEnd()
  }
}

/**
 * Calls `after` when a response's end() has returned.
 * @param {(response: any) => void} after
 * @param {Uint32Array} words
 * @returns {() => void} undoes it
 */
function wrapEnd (after, words) {
  const inherited = /** @type {any} */ (ServerResponse.prototype.end)
  const own = Object.getOwnPropertyDescriptor(ServerResponse.prototype, 'end')
  // Three parameters: frameworks ask for end.length.
  /** @type {any} */
  const wrapper = function end (chunk, encoding, callback) {
    words[WORD.written] = 0
    const result = arguments.length === 1 ? inherited.call(this, chunk) : Reflect.apply(inherited, this, arguments)
    after(this)
    return result
  }
  ServerResponse.prototype.end = wrapper
  return () => {
    if (ServerResponse.prototype.end !== wrapper) return // Wrapped again by somebody: `after` is harmless.
    if (own) Object.defineProperty(ServerResponse.prototype, 'end', own)
    else delete (/** @type {any} */ (ServerResponse.prototype)).end
  }
}

module.exports = { instrumentHttp }
