'use strict'

// A handler that reads a file with the synchronous calls: part of its own event,
// also where the file's number was a connection's before.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'synchronous reads',
  file: __filename,
  async drive (client) {
    const [last, ...others] = (await client.connectWarm(4, '/read')).reverse()
    for (const connection of others) connection.destroy()
    await client.sleep(20)
    for (let round = 0; round < 5; round++) {
      await last.get(`/read/r${round}`)
      await client.sleep(2)
    }
  }
}

function read (witness, request, response) {
  const warm = request.url.includes('/w')
  const source = witness.enter('source', 'tcp_read', null)
  const fd = fs.openSync(__filename)
  const wasAnother = fd < request.socket._handle.fd
  assert.ok(warm || wasAnother, 'no connection has left its number')
  const byte = Buffer.alloc(1)
  for (let i = 0; i < 3; i++) {
    fs.readSync(fd, byte)
    spin(warm ? 0 : 5)
  }
  fs.closeSync(fd)
  witness.finish(response, source, ['source'])
}

if (require.main === module) serve({ read })
