'use strict'

// A file read with await: open, read, close.

const fs = require('node:fs/promises')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'file, await',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(3, '/steps', 10)
    for (let round = 0; round < 3; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/steps/r${round}x${i}`)))
    }
  }
}

async function steps (witness, request, response) {
  const ms = request.url.includes('/w') ? 0 : 6
  const source = witness.enter('source', 'tcp_read', null)
  const opening = fs.open(__filename)
  spin(ms)
  source.leave()
  const handle = await opening
  const open = witness.enter('open', 'fs_open', 'source')
  const reading = handle.read(Buffer.alloc(100), 0, 100, 0)
  spin(ms)
  open.leave()
  await reading
  const read = witness.enter('read', 'fs_read', 'open')
  const closing = handle.close()
  spin(ms)
  read.leave()
  await closing
  const close = witness.enter('close', 'fs_close', 'read')
  witness.finish(response, close, ['source', 'open', 'read', 'close'])
}

if (require.main === module) serve({ steps })
