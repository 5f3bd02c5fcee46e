'use strict'

// What is asked by HTTP: where TLS hides it from the recorder, method and path,
// which it folds as it folds those that it sees; and by what name it goes, where
// the application has given it a header `traceparent`. Node's client and undici
// (fetch) tell when the head of a request has been handed to its socket.

const channels = require('node:diagnostics_channel')

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentClients ({ calls }) {
  const ask = (/** @type {any} */ socket, /** @type {any} */ { method, path }, /** @type {unknown} */ traceparent) => {
    if (!socket?.encrypted && traceparent === undefined) return
    const fd = socket?._handle?.fd
    if (!Number.isInteger(fd) || fd < 0) return
    if (socket.encrypted) calls.https(fd, method, path)
    if (traceparent !== undefined) calls.askedContext(fd, traceparent)
  }
  /** @type {[string, (message: any) => void][]} */
  const listeners = [
    ['http.client.request.start', ({ request }) => ask(request.socket, request, request.getHeader('traceparent'))],
    ['undici:client:sendHeaders', ({ request, socket, headers }) => ask(socket, request, traceparentIn(headers))]
  ]
  for (const [name, listener] of listeners) channels.subscribe(name, listener)
  return () => {
    for (const [name, listener] of listeners) channels.unsubscribe(name, listener)
  }
}

/** @param {unknown} head of a request, as it is written @returns {string | undefined} */
function traceparentIn (head) {
  if (typeof head !== 'string' || !head.includes('traceparent')) return undefined
  return /^traceparent: *(\S+) *\r?$/im.exec(head)?.[1]
}

module.exports = { instrumentClients }
