'use strict'

// generic-pool with one connection: who waits for it is let on by the request
// that gives it back, inside that one's event.

const genericPool = require('generic-pool')
const { Pool } = require('../pool')
const { lastLeft, now, serve, spin } = require('../witness')

module.exports = {
  name: 'generic-pool',
  file: __filename,
  // Who resolves a promise is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/pooled', 10)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/pooled/r${round}x${i}`)))
    }
  }
}

async function main () {
  const pool = genericPool.createPool({ create: () => Pool.open(), destroy: async (one) => one.close() }, { min: 1, max: 1 })
  await pool.ready()
  // The answer in whose event the connection was last given back, and what that event did before any request's code.
  let givenBack = { sent: 0, sharedNs: 0 }

  async function pooled (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    const free = pool.available > 0
    const acquired = pool.acquire()
    if (!free) source.leave()
    const connection = await acquired
    const asking = free ? source : witness.enter('asking', 'tcp_read', 'source', givenBack.sent, lastLeft() - givenBack.sharedNs)
    spin(warm ? 0 : 2)
    const asked = connection.asked(warm ? 0 : 10)
    asking.leave()
    const sent = await asked
    givenBack = { sent, sharedNs: now() - connection.readNs }
    const answer = witness.enter('answer', 'tcp_read', free ? 'source' : 'asking', sent, connection.readNs)
    spin(warm ? 0 : 3)
    pool.release(connection)
    witness.finish(response, answer, free ? ['source', 'answer'] : ['source', 'asking', 'answer'])
  }
  serve({ pooled }, { onStop: () => pool.drain().then(() => pool.clear()) })
}

if (require.main === module) main()
