'use strict'

// An async iterator over a stream of the request's own: a file of three chunks.

const fs = require('node:fs')
const path = require('node:path')
const { serve, spin } = require('../witness')

const CHUNKS = 3
const CHUNK_BYTES = 1 << 16

module.exports = {
  name: 'async iterators over streams',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(3, '/file', 5)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map(async (connection, i) => {
        await client.sleep(8 * i)
        await connection.get(`/file/r${round}x${i}`)
      }))
    }
  }
}

function main () {
  const large = path.join(process.env.TRUTH_DIRECTORY ?? '.', '..', 'chunks')
  fs.writeFileSync(large, Buffer.alloc(CHUNKS * CHUNK_BYTES))

  async function file (witness, request, response) {
    const ms = request.url.includes('/w') ? 0 : 2
    let step = witness.enter('source', 'tcp_read', null)
    witness.hidden('open', 'fs_open', 'source')
    const steps = ['source', 'open']
    const chunks = fs.createReadStream(large, { highWaterMark: CHUNK_BYTES })[Symbol.asyncIterator]()
    for (let i = 1; i <= CHUNKS; i++) {
      const next = chunks.next()
      step.leave()
      await next
      step = witness.enter(`chunk ${i}`, 'fs_read', steps.at(-1))
      spin(ms)
      steps.push(`chunk ${i}`)
    }
    witness.finish(response, step, steps)
    await chunks.return?.()
  }
  serve({ file })
}

if (require.main === module) main()
