'use strict'

// A backend that slept since the question has lost its caches: its answer would
// leave 50 to 100 µs after the time that it holds. Bytes that it writes to
// itself first take the same way.

const net = require('node:net')

/** @returns {Promise<() => void>} writes a byte on a loopback connection of its own, as socket.write() does */
async function openWarmWriter () {
  const server = net.createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const socket = net.connect(/** @type {any} */ (server.address()).port, '127.0.0.1').setNoDelay(true)
  await new Promise((resolve) => socket.once('connect', resolve))
  return () => { socket.write('x') }
}

module.exports = { openWarmWriter }
