'use strict'

// What is asked of HTTP/2 servers, and of gRPC's: each stream is a question of
// its own, asked where its request() is called. The session writes later, what
// all have asked together, when none of them runs.
//
// Nothing here loads node:http2 (see http2.js): its clients are met when it is
// required, or when the next socket is opened. Of an application that has
// imported it as a module, and of a session that was made before recording, the
// first session is not met: what it asks is known by its bytes only.

const channels = require('node:diagnostics_channel')
const Module = /** @type {any} */ (require('node:module'))
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

const NAMES = new Set(['http2', 'node:http2'])
const GRPC = 'application/grpc'

/** @type {import('../servers/requests').Recording | null} of this thread, now */
let current = null
let met = false
/** RFC 9113, section 5.1.1 */
const FIRST = 1
const STEP = 2
/** @type {WeakMap<object, number>} by session that was met when it was made: what its next stream gets when it connects */
const pending = new WeakMap()
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
  wrap([require('node:http2')], 'connect', (connect) => unseen().after(connect, (_, session) => meetNewSession(session)))
  Module.syncBuiltinESMExports()
}

function meetNewSession (/** @type {any} */ session) {
  meetSession(session)
  if (session) pending.set(session, FIRST)
}

function meetSession (/** @type {any} */ session) {
  const prototype = session && Object.getPrototypeOf(session)
  if (typeof prototype?.request !== 'function' || asking.has(prototype)) return
  asking.add(prototype)
  wrap([prototype], 'request', (request) => unseen().after(request, asked))
}

function asked (/** @type {any} */ session, /** @type {any} */ stream, /** @type {any} */ headers) {
  if (!stream) return
  const number = numberOf(session, stream) // Each counts.
  if (current === null) return
  let fd
  try {
    fd = session.socket._handle?.fd
  } catch {} // The session has left its socket.
  if (!Number.isInteger(fd) || fd < 0) return
  if (headers?.traceparent !== undefined) current.calls.askedContext(fd, headers.traceparent)
  const grpc = String(headers?.['content-type'] ?? '').startsWith(GRPC)
  current.calls.stream(fd, String(headers?.[':method'] ?? 'GET'), String(headers?.[':path'] ?? '/'), grpc, number, idOf(stream))
}

/**
 * A session gives its streams their numbers in the order of request(): at once where it is connected, else when it is.
 * @returns {number} that of a stream; 0: not known
 */
function numberOf (/** @type {any} */ session, /** @type {any} */ stream) {
  if (stream.id > 0) return stream.id
  const number = pending.get(session)
  if (number === undefined) return 0
  pending.set(session, number + STEP)
  return number
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
