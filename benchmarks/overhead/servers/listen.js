'use strict'

// In overload thousands of connections come at once. More than the backlog are
// answered by the kernel's retransmission a second later: not the server's time.
const BACKLOG = 4096

/**
 * Tells the benchmark the port, and leaves by process.exit so that whatever is
 * loaded beside the server can finish its files.
 * @param {import('node:http').Server} server listening
 */
function announce (server) {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.stdout.write(`listening ${address.port}\n`)
  process.once('SIGTERM', () => process.exit(0))
}

module.exports = { announce, BACKLOG }
