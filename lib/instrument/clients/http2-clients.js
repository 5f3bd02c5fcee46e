'use strict'

// What is asked of HTTP/2 servers, and of gRPC's: each stream is a question of
// its own, asked where its request() is called. The session writes later, what
// all have asked together, when none of them runs.
//
// Nothing here loads node:http2 (see http2.js): its clients are met when it is
// required, or when the next socket is opened. Of an application that has
// imported it as a module, and of a session that was made before recording, the
// first session is not met: what it asks is known by its bytes only.
//
// A session that is not connected yet gives its streams their numbers when it
// is: that one waits is told at once, by who asks, and the rest then.

const channels = require('node:diagnostics_channel')
const Module = /** @type {any} */ (require('node:module'))
const { REQUEST_ID, TRACEPARENT } = require('../servers/trace-context')
const { tellWait } = require('./waits')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

const NAMES = new Set(['http2', 'node:http2'])
const GRPC = 'application/grpc'

/** @type {import('../servers/requests').Recording | null} of this thread, now */
let current = null
let met = false
/** @type {symbol | undefined} */
let idKey
/** @type {WeakSet<object>} prototypes */
const asking = new WeakSet()

// Not documented, but there since Node 0.
const isLoaded = () => /** @type {any} */ (process).moduleLoadList?.includes('NativeModule http2')

// Once: what was wrapped stays so.
function meet () {
  if (met) return
  met = true
  wrap([require('node:http2')], 'connect', (connect) => unseen().after(connect, (_, session) => meetSession(session)))
  Module.syncBuiltinESMExports()
}

function meetSession (/** @type {any} */ session) {
  const prototype = session && Object.getPrototypeOf(session)
  if (typeof prototype?.request !== 'function' || asking.has(prototype)) return
  asking.add(prototype)
  wrap([prototype], 'request', (request) => unseen().after(request, asked))
}

function asked (/** @type {any} */ session, /** @type {any} */ stream, /** @type {any} */ headers) {
  if (!stream || current === null) return
  if (stream.id > 0) return tell(current, session, stream, headers, 0)
  const recording = current
  const wait = tellWait(recording.calls)
  stream.once('ready', () => {
    if (current === recording) tell(recording, session, stream, headers, wait)
  })
}

function tell (/** @type {import('../servers/requests').Recording} */ { calls }, /** @type {any} */ session, /** @type {any} */ stream, /** @type {any} */ headers, /** @type {number} */ wait) {
  let fd
  try {
    fd = session.socket._handle?.fd
  } catch {} // The session has left its socket.
  if (!Number.isInteger(fd) || fd < 0) return
  if (headers?.[TRACEPARENT] !== undefined || headers?.[REQUEST_ID] !== undefined) calls.askedContext(fd, headers[TRACEPARENT], headers[REQUEST_ID])
  const grpc = String(headers?.['content-type'] ?? '').startsWith(GRPC)
  calls.stream(fd, String(headers?.[':method'] ?? 'GET'), String(headers?.[':path'] ?? '/'), grpc, stream.id, idOf(stream), wait)
}

/** @returns {number} its async id; 0: it has none yet, or it cannot be known */
function idOf (/** @type {any} */ stream) {
  idKey ??= Object.getOwnPropertySymbols(stream).find(({ description }) => description === 'async_id_symbol')
  const id = idKey && stream[idKey]
  return id > 0 ? id : 0
}

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentHttp2Clients (recording) {
  current = recording
  const onLoad = (_, __, name) => { if (NAMES.has(name)) meet() }
  const onSocket = () => { if (!met && isLoaded()) meet() }
  if (isLoaded()) meet()
  const undo = wrap([Module], '_load', (load) => unseen().after(load, onLoad))
  channels.subscribe('net.client.socket', onSocket)
  return () => {
    current = null
    channels.unsubscribe('net.client.socket', onSocket)
    undo()
  }
}

module.exports = { instrumentHttp2Clients }
