'use strict'

// Requests that share one connection to a backend, with callbacks: one question
// each. Which request a callback is for shows when it answers.

const { Pool } = require('../pool')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'pooled connection, callbacks',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(4, '/pooled', 10)
    for (let round = 0; round < 5; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/pooled/r${round}x${i}`)))
    }
  }
}

async function main () {
  const pool = await Pool.open()
  function pooled (witness, request, response) {
    const source = witness.enter('source', 'tcp_read', null)
    pool.ask(request.url.includes('/w') ? 0 : 10, (sentNs) => {
      const answer = witness.enter('answer', 'tcp_read', 'source', sentNs, pool.sinceNs())
      witness.finish(response, answer, ['source', 'answer'])
    })
    spin(request.url.includes('/w') ? 0 : 4)
    source.leave()
  }
  serve({ pooled }, { onStop: () => pool.close() })
}

if (require.main === module) main()
