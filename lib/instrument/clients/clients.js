'use strict'

// What is asked by HTTP where TLS hides it from the recorder: method and path,
// which it folds as it folds those that it sees. Node's client and undici
// (fetch) tell when the head of a request has been handed to its socket.

const channels = require('node:diagnostics_channel')

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentClients ({ calls }) {
  const ask = (/** @type {any} */ socket, /** @type {any} */ { method, path }) => {
    if (!socket?.encrypted) return
    const fd = socket._handle?.fd
    if (Number.isInteger(fd) && fd >= 0) calls.https(fd, method, path)
  }
  /** @type {[string, (message: any) => void][]} */
  const listeners = [
    ['http.client.request.start', ({ request }) => ask(request.socket, request)],
    ['undici:client:sendHeaders', ({ request, socket }) => ask(socket, request)]
  ]
  for (const [name, listener] of listeners) channels.subscribe(name, listener)
  return () => {
    for (const [name, listener] of listeners) channels.unsubscribe(name, listener)
  }
}

module.exports = { instrumentClients }
