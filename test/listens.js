'use strict'

const net = require('node:net')

/** @param {number} port of this machine @returns {Promise<boolean>} whether somebody listens there; nothing is asked */
function listens (port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

module.exports = { listens }
