'use strict'

// A file piped into the response, to a client that reads at once and to one
// that does not read for a while: the last event is what a slow reader allows.

const fs = require('node:fs')
const path = require('node:path')
const { serve } = require('../witness')

const BYTES = 8 << 20
const PAUSE_MS = 40

module.exports = {
  name: 'streaming',
  file: __filename,
  async drive (client) {
    const [one] = await client.connectWarm(1, '/quick', 5)
    for (let round = 0; round < 3; round++) await one.get(`/piped/r${round}`)
    for (let round = 0; round < 3; round++) {
      const answer = one.get(`/piped/slow${round}`)
      one.socket.pause()
      await client.sleep(PAUSE_MS)
      one.socket.resume()
      await answer
    }
  }
}

function quick (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  witness.finish(response, source, ['source'])
}

function main () {
  const file = path.join(process.env.TRUTH_DIRECTORY ?? '.', '..', 'large')
  fs.writeFileSync(file, Buffer.alloc(BYTES))
  function piped (witness, request, response) {
    const source = witness.enter('source', 'tcp_read', null)
    witness.add({ ends: true, components: ['latency_ns'] })
    response.setHeader('content-length', BYTES)
    // It ends when the kernel has its last byte: with the file, or with a slow
    // reader's drain later.
    const types = ['write', 'fs_read', 'fs_close']
    let last
    const begin = () => { last = witness.enter('last', types, null) }
    const end = () => {
      if (response.writableLength > 0) return witness.truth.steps.pop()
      last.leave()
      witness.ended(['source', 'last'])
      response.removeListener('finish', drained)
    }
    const drained = () => {
      begin()
      end()
    }
    response.prependListener('finish', drained)
    const stream = fs.createReadStream(file)
    stream.on('end', begin)
    stream.pipe(response)
    stream.on('end', end)
    source.leave()
  }
  serve({ quick, piped })
}

if (require.main === module) main()
