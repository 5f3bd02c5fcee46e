'use strict'

// HTTP/2 servers: each stream is a request. Older Nodes have no channel for
// them, so a server is met where a listener for streams is set while a thread
// records, or at its next connection, whenever it was made. Nothing here loads
// node:http2: it and what it needs (TLS, crypto) would be more for each full
// collection of a server that has no use for them to go through.

const channels = require('node:diagnostics_channel')
const { Server } = require('node:net')
const { listenBefore } = require('./listeners')
const { routeLeftOn } = require('./open-requests')
const { KIND, OUTCOME } = require('./requests')
const { unseen } = require('./unseen')
const { insert } = require('./wrap')

/** NGHTTP2_NO_ERROR, RFC 9113 section 7 */
const NO_ERROR = 0

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
  const id = recording.calls.requestStart(KIND.http2)
  if (!id) return
  const request = { method: headers[':method'] ?? '', url: headers[':path'] ?? '' }
  let over = false
  const end = (/** @type {number} */ outcome) => {
    if (over || current !== recording) return
    over = true
    const status = Number(stream.sentHeaders?.[':status'] ?? 0)
    recording.calls.requestEnd(id, recording.routes.numberOf(request, routeLeftOn(stream)), status, outcome)
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
  channels.subscribe('net.server.socket', onConnection)
  const restore = meetAtOn()
  return () => {
    current = null
    channels.unsubscribe('net.server.socket', onConnection)
    restore()
  }
}

module.exports = { instrumentHttp2 }
