'use strict'

// Each message that comes on a WebSocket of a server is a request, by the path
// that the connection was upgraded at.

const { whileRecording } = require('../wrapping/now')
const { foldPath, pathOf } = require('../servers/routes')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')
const { emitRequests } = require('./handled')

/** @type {WeakMap<object, string>} by Node's socket, then by ws's */
const paths = new WeakMap()

const upgrading = whileRecording((/** @type {any} */ server, /** @type {any} */ request, /** @type {any} */ socket) => {
  if (request._query?.EIO === undefined) paths.set(socket, foldPath(pathOf(request.url))) // Socket.IO's messages are its own.
})

const upgraded = whileRecording((/** @type {any} */ webSocket, /** @type {any} */ socket) => {
  const path = paths.get(socket)
  if (path !== undefined) paths.set(webSocket, path)
})

const nameOf = (/** @type {any} */ webSocket, /** @type {any} */ event) => {
  const path = event === 'message' ? paths.get(webSocket) : undefined
  return path && `WS ${path} message`
}

module.exports = {
  server: {
    meet ({ prototype }) {
      wrap([prototype], 'handleUpgrade', (handleUpgrade) => unseen().before(handleUpgrade, upgrading))
    }
  },
  webSocket: {
    meet ({ prototype }) {
      wrap([prototype], 'setSocket', (setSocket) => unseen().before(setSocket, upgraded))
      emitRequests(prototype, 'emit', nameOf)
    }
  }
}
