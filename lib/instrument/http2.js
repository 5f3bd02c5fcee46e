'use strict'

// HTTP/2 servers: each stream is a request. Its session writes when all that the
// loop has found was handled, and tells the stream later still. Older Nodes have no channel for
// them, so a server is met where its first listener is set (Node's own, when it
// is made), whether anything records then or only later. Nothing here loads
// node:http2: it and what it needs (TLS, crypto) would be more for each full
// collection of a server that has no use for them to go through.

const { Server } = require('node:net')
const { KIND, OUTCOME } = require('./requests')
const { wrap } = require('./wrap')

/** NGHTTP2_NO_ERROR, RFC 9113 section 7 */
const NO_ERROR = 0
/** NGHTTP2_STREAM_STATE_IDLE: also of a stream that both sides have closed */
const IDLE = 1

/** @type {import('./requests').Recording | null} of this thread, now */
let current = null

/** @type {WeakSet<object>} */
const met = new WeakSet()
wrap([Server.prototype], 'on', (on) => function () {
  // Of all servers only HTTP/2's have settings to update.
  if (typeof this.updateSettings === 'function' && !met.has(this)) {
    met.add(this)
    this.prependListener('stream', onStream)
  }
  return Reflect.apply(on, this, arguments)
})

function onStream (/** @type {any} */ stream, /** @type {any} */ headers) {
  if (current === null) return
  const recording = current
  recording.following.begin()
  const id = recording.calls.requestStart(KIND.http2)
  if (!id) return
  const request = { method: headers[':method'] ?? '', url: headers[':path'] ?? '' }
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
    recording.calls[call](id, recording.routes.numberOf(request), status, last)
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
  return () => { current = null }
}

module.exports = { instrumentHttp2 }
