'use strict'

// HTTP/2 servers: each stream is a request. Older Nodes have no channel for
// them, so a server is met where its first listener is set (Node's own, when it
// is made), whether anything records then or only later. Nothing here loads
// node:http2: it and what it needs (TLS, crypto) would be more for each full
// collection of a server that has no use for them to go through.

const { Server } = require('node:net')
const { KIND, OUTCOME } = require('./requests')
const { wrap } = require('./wrap')

/** NGHTTP2_NO_ERROR, RFC 9113 section 7 */
const NO_ERROR = 0

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
  let over = false
  const end = (/** @type {number} */ outcome) => {
    if (over || current !== recording) return
    over = true
    const status = Number(stream.sentHeaders?.[':status'] ?? 0)
    recording.calls.requestEnd(id, recording.routes.numberOf(request), status, outcome)
  }
  // A stream that is reset finishes too; one that both sides have ended may
  // close without 'finish'.
  const isWhole = () => stream.writableEnded && stream.rstCode === NO_ERROR
  const ended = () => end(isWhole() ? OUTCOME.finished : OUTCOME.aborted)
  stream.once('finish', ended)
  stream.once('close', ended)
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
