'use strict'

// stream.pipeline(): a file is compressed, and a request answered at its end.

const fs = require('node:fs')
const { Writable, pipeline } = require('node:stream')
const zlib = require('node:zlib')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'stream pipelines',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(3, '/zipped', 5)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map(async (connection, i) => {
        await client.sleep(5 * i)
        await connection.get(`/zipped/r${round}x${i}`)
      }))
    }
  }
}

function zipped (witness, request, response) {
  const warm = request.url.includes('/w')
  const source = witness.enter('source', 'tcp_read', null)
  const sink = new Writable({ write: (chunk, encoding, done) => done() })
  pipeline(fs.createReadStream(__filename), zlib.createGzip(), sink, () => {
    // Whether the file is closed before its last byte is compressed varies.
    const last = witness.enter('last', ['thread_pool', 'fs_close'], 'source')
    spin(warm ? 0 : 2)
    witness.add({ ends: true })
    witness.finish(response, last, ['source', 'last'])
  })
  spin(warm ? 0 : 2)
  source.leave()
}

if (require.main === module) serve({ zipped })
