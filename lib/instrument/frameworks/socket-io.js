'use strict'

// Each event that a client sends and somebody listens to is a request, by the
// namespace and its name.

const { foldPath } = require('../servers/routes')
const { emitRequests } = require('./handled')

/** @type {import('../wrapping/modules').Met} */
module.exports = {
  name: 'Socket.IO',
  file: /\/socket\.io\/dist\/socket\.js$/,
  meet ({ Socket }) {
    emitRequests(Socket.prototype, 'emitUntyped', (socket, event) => `WS ${foldPath(String(socket.nsp.name))} ${String(event)}`)
  }
}
