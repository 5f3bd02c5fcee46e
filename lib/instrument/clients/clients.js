'use strict'

// What is asked by HTTP: where TLS hides it from the recorder, method and path,
// which it folds as it folds those that it sees; and by what name it goes, where
// the application has given it a header `traceparent` or `x-request-id`. Node's
// client and undici (fetch) tell when the head of a request has been handed to
// its socket.

const channels = require('node:diagnostics_channel')
const { created, writtenFor } = require('./undici')
const { REQUEST_ID, TRACEPARENT } = require('../servers/trace-context')

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentClients (recording) {
  const { calls } = recording
  const ask = (/** @type {any} */ socket, /** @type {any} */ { method, path }, /** @type {unknown} */ traceparent, /** @type {unknown} */ requestId) => {
    const named = traceparent !== undefined || requestId !== undefined
    if (!socket?.encrypted && !named) return
    const fd = socket?._handle?.fd
    if (!Number.isInteger(fd) || fd < 0) return
    if (socket.encrypted) calls.https(fd, method, path)
    if (named) calls.askedContext(fd, traceparent, requestId)
  }
  /** @type {[string, (message: any) => void][]} */
  const listeners = [
    ['http.client.request.start', ({ request }) => ask(request.socket, request, request.getHeader(TRACEPARENT), request.getHeader(REQUEST_ID))],
    ['undici:request:create', ({ request }) => created(request, recording)],
    ['undici:client:sendHeaders', ({ request, socket, headers }) => {
      const wait = writtenFor(request)
      if (wait !== 0) calls.askedFor(socket?._handle?.fd, wait)
      ask(socket, request, ...valuesIn(headers))
    }]
  ]
  for (const [name, listener] of listeners) channels.subscribe(name, listener)
  return () => {
    for (const [name, listener] of listeners) channels.unsubscribe(name, listener)
  }
}

/** @param {unknown} head of a request, as it is written @returns {[string | undefined, string | undefined]} its two names */
function valuesIn (head) {
  if (typeof head !== 'string') return [undefined, undefined]
  const lower = head.toLowerCase()
  const valueOf = (/** @type {string} */ name) => {
    const at = lower.indexOf(`\n${name}:`)
    return at < 0 ? undefined : head.slice(at + name.length + 2, head.indexOf('\r', at + 1)).trim()
  }
  return [valueOf(TRACEPARENT), valueOf(REQUEST_ID)]
}

module.exports = { instrumentClients }
