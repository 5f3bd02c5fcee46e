'use strict'

// pg's pool of one connection, awaited: who waits for it is let on by the request
// that gives it back, inside that one's event.

const { Postgres, sentNs } = require('../postgres')
const { lastLeft, now, serve, spin } = require('../witness')

module.exports = {
  name: 'pg, pool.connect()',
  file: __filename,
  // Who resolves a promise is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/queries', 10)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map(async (connection, i) => {
        await client.sleep(3 * i)
        await connection.get(`/queries/r${round}x${i}`)
      }))
    }
  }
}

async function main () {
  const database = await Postgres.open()
  // The answer in whose event the connection was last given back, and what that event did before any request's code.
  let givenBack = { sent: 0, sharedNs: 0 }

  async function queries (witness, request, response) {
    const ms = request.url.includes('/w') ? 0 : 10
    const steps = ['source']
    let step = witness.enter('source', 'tcp_read', null)
    const enter = (name, ready, since) => {
      step = witness.enter(name, 'tcp_read', steps.at(-1), ready, since)
      steps.push(name)
    }
    for (const question of ['first', 'second']) {
      const { free } = database
      const connecting = database.pool.connect()
      if (!free) step.leave()
      const connection = await connecting
      if (!free) enter(`${question} question`, givenBack.sent, lastLeft() - givenBack.sharedNs)
      const asked = connection.query(String(ms))
      step.leave()
      const sent = sentNs(await asked)
      givenBack = { sent, sharedNs: now() - database.readNs }
      enter(`${question} answer`, sent, database.readNs)
      spin(ms / 5)
      connection.release()
    }
    witness.finish(response, step, steps)
  }
  serve({ queries }, { onStop: () => database.close() })
}

if (require.main === module) main()
