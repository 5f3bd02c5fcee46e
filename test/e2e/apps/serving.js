'use strict'

// How every test application tells its port and learns when to stop.

/**
 * @param {any} server listening, or about to
 * @param {() => void} [onStop]
 */
function serving (server, onStop = () => {}) {
  const tell = () => {
    const { port } = server.address()
    if (process.send) process.send({ port })
    else process.stdout.write(`port ${port}\n`)
  }
  if (server.listening) tell()
  else server.once('listening', tell)
  process.on('message', (message) => {
    if (message !== 'stop') return
    onStop()
    server.close()
    server.closeAllConnections?.()
    process.disconnect()
  })
}

module.exports = { serving }
