'use strict'

// pg's pool.query(), by callbacks and awaited. The pool gives the connection to
// the request that waits for it, whose function asks there, and only then tells
// the request that has its answer.

const { Postgres, sentNs } = require('../postgres')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'pg, pool.query()',
  file: __filename,
  // What several requests' functions create in one slice cannot be told apart:
  // a limit of the method. A stock Node does not see those functions at all.
  reported: ['events', 'promises', 'patched'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/callbacks', 10)
    for (const kind of ['callbacks', 'awaited']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map(async (connection, i) => {
          await client.sleep(3 * i)
          await connection.get(`/${kind}/r${round}x${i}`)
        }))
      }
    }
  }
}

async function main () {
  const database = await Postgres.open()
  function callbacks (witness, request, response) {
    const ms = request.url.includes('/w') ? 0 : 10
    const steps = ['source']
    let step = witness.enter('source', 'tcp_read', null)
    const answered = (_, result) => {
      step = witness.enter(`answer ${steps.length}`, 'tcp_read', steps.at(-1), sentNs(result))
      const last = steps.some((name) => name.startsWith('answer'))
      steps.push(`answer ${steps.length}`)
      spin(ms / 5)
      if (last) return witness.finish(response, step, steps)
      database.query(witness, steps, ms, answered)
      step.leave()
    }
    database.query(witness, steps, ms, answered)
    step.leave()
  }

  async function awaited (witness, request, response) {
    const steps = ['source']
    let step = witness.enter('source', 'tcp_read', null)
    for (const name of ['first answer', 'second answer']) {
      const asked = database.query(witness, steps, 10)
      step.leave()
      const ready = sentNs(await asked)
      step = witness.enter(name, 'tcp_read', steps.at(-1) ?? null, ready)
      steps.push(name)
      spin(2)
    }
    witness.finish(response, step, steps)
  }
  serve({ callbacks, awaited }, { onStop: () => database.close() })
}

if (require.main === module) main()
