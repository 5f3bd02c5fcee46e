'use strict'

// A file piped into the response, to a client that reads at once and to one
// that does not read for a while: the last event is what a slow reader allows.

const fs = require('node:fs')
const path = require('node:path')
const { now, serve } = require('../witness')

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
    // It ends when the kernel has its last byte: with the file's, or with a slow
    // reader's drain later.
    // Which of the events after the file's last byte hands it over, the program does not see.
    let left = BYTES
    let answering
    response.prependListener('finish', () => {
      witness.hidden('last', ['write', 'fs_read', 'fs_close'], 'source')
      witness.ended(['source', 'last'], answering)
    })
    const stream = fs.createReadStream(file)
    stream.on('data', (chunk) => { if ((left -= chunk.length) === 0) answering = now() })
    stream.pipe(response)
    source.leave()
  }
  serve({ quick, piped })
}

if (require.main === module) main()
