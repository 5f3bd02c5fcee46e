'use strict'

// HTTP/2 servers: each stream is a request. Its session writes when all that the
// loop has found was handled, and tells the stream later still. Older Nodes have no channel for
// them, so a server is met where a listener for streams is set while a thread
// records, or at its next connection, whenever it was made. Nothing here loads
// node:http2: it and what it needs (TLS, crypto) would be more for each full
// collection of a server that has no use for them to go through.

const channels = require('node:diagnostics_channel')
const { Server } = require('node:net')
const { EVENT_STREAM, isEventStream } = require('./event-streams')
const { listenBefore } = require('../wrapping/listeners')
const { routeLeftOn } = require('./open-requests')
const { KIND, OUTCOME, serving } = require('./requests')
const { REQUEST_ID, TRACEPARENT } = require('./trace-context')
const { unseen } = require('../wrapping/unseen')
const { insert } = require('../wrapping/wrap')

/** NGHTTP2_NO_ERROR, RFC 9113 section 7 */
const NO_ERROR = 0
/** NGHTTP2_STREAM_STATE_IDLE: also of a stream that both sides have closed */
const IDLE = 1

/** @type {import('./requests').Recording | null} of this thread, now */
let current = null

function meet (/** @type {any} */ server) {
  // Of all servers only HTTP/2's have settings to update.
  if (typeof server?.updateSettings === 'function') listenBefore(server, 'stream', onStream)
}

function onConnection (/** @type {any} */ { socket }) {
  const { server } = socket
  meet(server)
  // One that is no HTTP/1 server's may have been handed on: Node has left the
  // HTTP/2 server that took it there.
  if (server?.requestTimeout !== undefined) return
  for (const key of Object.getOwnPropertySymbols(socket)) if (key.description === 'server') meet(socket[key])
}

function meetAtOn () {
  const tell = (server, result, event) => { if (event === 'stream') meet(server) }
  return insert(Server.prototype, ['on', 'addListener'], (emitter, name) => unseen().after(emitter[name], tell))
}

function onStream (/** @type {any} */ server, /** @type {any} */ stream, /** @type {any} */ headers) {
  if (current === null) return
  const recording = current
  recording.following.begin()
  const id = recording.calls.requestStart(KIND.http2, stream.id)
  if (!id) return
  if (headers[TRACEPARENT] !== undefined || headers[REQUEST_ID] !== undefined) recording.calls.requestContext(id, headers[TRACEPARENT], headers[REQUEST_ID])
  const request = { method: headers[':method'] ?? '', url: headers[':path'] ?? '' }
  serving.request = request
  const connection = connectionOf(stream.session)
  let over = false
  let awaited = false
  const isOver = () => {
    const before = over || current !== recording
    over = true
    return before
  }
  const end = (/** @type {'requestEnd' | 'requestEndWritten' | 'requestEndAwaited'} */ call, /** @type {any} */ last) => {
    const status = Number(stream.sentHeaders?.[':status'] ?? 0)
    recording.calls[call](id, routeOf(recording.routes, request, stream), status, last)
  }
  // A stream that is reset finishes too.
  const isLost = () => stream.rstCode !== NO_ERROR || connection.isGone()
  stream.once('finish', () => {
    if (isOver()) return
    if (isLost()) return end('requestEnd', OUTCOME.aborted)
    awaited = !isPacked(stream)
    end(awaited ? 'requestEndAwaited' : 'requestEndWritten', connection.fd)
  })
  // One that both sides have ended may close without 'finish'.
  stream.once('close', () => {
    if (awaited && current === recording && isLost()) recording.calls.requestEndLost(id)
    if (isOver()) return
    if (isLost() || !stream.writableEnded) end('requestEnd', OUTCOME.aborted)
    else end('requestEndWritten', connection.fd)
  })
}

function routeOf (/** @type {import('./routes').RouteTable} */ routes, request, stream) {
  const number = routes.numberOf(request, routeLeftOn(stream), stream)
  return isEventStream(stream.sentHeaders?.['content-type']) ? routes.numberOfDetailed(number, EVENT_STREAM) : number
}

/**
 * A stream may finish (an empty body, trailers) before the session has made the frame that ends it.
 * @param {any} stream
 * @returns {boolean} whether that frame was made, and so written
 */
function isPacked (stream) {
  const { state, localClose } = stream.state
  return localClose === 1 || state === undefined || state === IDLE
}

/** @type {WeakMap<object, Connection>} by session */
const connections = new WeakMap()

/** What is below a session. */
class Connection {
  #session
  #handle
  /** What the recorder knows it as; -1: it is no descriptor. */
  fd = -1

  constructor (/** @type {any} */ session) {
    this.#session = session
    try {
      this.#handle = session.socket._handle
      this.fd = this.#handle?.fd ?? -1
    } catch {} // The session has left its socket.
  }

  /** @returns {boolean} whether nothing is written any more */
  isGone () {
    return this.#session.destroyed || (this.fd >= 0 && this.#handle.fd !== this.fd)
  }
}

function connectionOf (/** @type {any} */ session) {
  let connection = connections.get(session)
  if (connection === undefined) connections.set(session, connection = new Connection(session))
  return connection
}

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentHttp2 (recording) {
  current = recording
  channels.subscribe('net.server.socket', onConnection)
  const restore = meetAtOn()
  return () => {
    current = null
    channels.unsubscribe('net.server.socket', onConnection)
    restore()
  }
}

module.exports = { instrumentHttp2 }
