'use strict'

// Preloaded into a server: it has a connection of its own, as to a database,
// though nothing is sent on it.

const net = require('node:net')

const backend = net.createServer().listen(0, '127.0.0.1', () => {
  net.connect(/** @type {net.AddressInfo} */ (backend.address()).port, '127.0.0.1')
})
