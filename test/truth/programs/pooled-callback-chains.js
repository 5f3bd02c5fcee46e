'use strict'

// Requests that share one connection to a backend, with callbacks: two questions
// each, the second asked in the first's callback. Nothing but the functions
// themselves says which request an answer is for.

const { Pool } = require('../pool')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'pooled connection, two callbacks',
  file: __filename,
  // A callback in a queue of the program's is seen by a patched V8 only.
  reported: ['events', 'promises'],
  async drive (client) {
    const connections = await client.connectWarm(4, '/pooled', 10)
    for (let round = 0; round < 5; round++) {
      await Promise.all(connections.map(async (connection, i) => {
        // Answers in reads of their own.
        await client.sleep(12 * i)
        await connection.get(`/pooled/r${round}x${i}`)
      }))
    }
  }
}

async function main () {
  const pool = await Pool.open()
  function pooled (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    pool.ask(warm ? 0 : 30, (firstSent) => {
      const first = witness.enter('first answer', 'tcp_read', 'source', firstSent, pool.sinceNs())
      pool.ask(warm ? 0 : 40, (secondSent) => {
        const second = witness.enter('second answer', 'tcp_read', 'first answer', secondSent, pool.sinceNs())
        spin(warm ? 0 : 2)
        witness.finish(response, second, ['source', 'first answer', 'second answer'])
      })
      spin(warm ? 0 : 2)
      first.leave()
    })
    source.leave()
  }
  serve({ pooled }, { onStop: () => pool.close() })
}

if (require.main === module) main()
