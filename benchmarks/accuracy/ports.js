'use strict'

// Loaded beside a server: notes the client's port of every request, in the
// order in which requests began. That is the order of edgewise's request ids,
// so that each one can be found again among the client's own.

const channels = require('node:diagnostics_channel')
const fs = require('node:fs')

/** @type {(number | undefined)[]} */
const ports = []

channels.subscribe('http.server.request.start', (/** @type {any} */ { socket }) => {
  ports.push(socket.remotePort)
})
process.once('exit', () => fs.writeFileSync(/** @type {string} */ (process.env.PORTS_FILE), ports.join('\n')))
