'use strict'

// Each event that a client sends and somebody listens to is a request, by the
// namespace and its name.

const { foldPath } = require('../servers/routes')
const { emitRequests } = require('./handled')

module.exports = {
  meet ({ Socket }) {
    emitRequests(Socket.prototype, 'emitUntyped', (socket, event) => `WS ${foldPath(String(socket.nsp.name))} ${String(event)}`)
  }
}
