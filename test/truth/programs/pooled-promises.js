'use strict'

// Requests that share one connection to a backend, with await: two questions
// each, answered in order. Several answers may come in one read.

const { Pool } = require('../pool')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'pooled connection, await',
  file: __filename,
  // Whom a shared connection resumes is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(4, '/pooled', 10)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/pooled/r${round}x${i}`)))
    }
  }
}

async function main () {
  const pool = await Pool.open()
  async function pooled (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    const asked = pool.asked(warm ? 0 : 10)
    source.leave()
    const firstSent = await asked
    const first = witness.enter('first answer', 'tcp_read', 'source', firstSent, pool.sinceNs())
    spin(warm ? 0 : 4)
    const askedAgain = pool.asked(warm ? 0 : 10)
    first.leave()
    const secondSent = await askedAgain
    const second = witness.enter('second answer', 'tcp_read', 'first answer', secondSent, pool.sinceNs())
    spin(warm ? 0 : 4)
    witness.finish(response, second, ['source', 'first answer', 'second answer'])
  }
  serve({ pooled }, { onStop: () => pool.close() })
}

if (require.main === module) main()
