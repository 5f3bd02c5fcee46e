'use strict'

// Connections whose begin the recorder has not seen: what a cluster's primary
// has accepted, and has handed to this worker.

const channels = require('node:diagnostics_channel')

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function adoptConnections ({ calls }) {
  const adopt = (/** @type {any} */ { socket }) => {
    const fd = socket._handle?.fd
    if (Number.isInteger(fd) && fd >= 0) calls.adopt(fd)
  }
  channels.subscribe('net.server.socket', adopt)
  return () => channels.unsubscribe('net.server.socket', adopt)
}

module.exports = { adoptConnections }
