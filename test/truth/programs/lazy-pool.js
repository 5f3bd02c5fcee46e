'use strict'

// A connection that the first request opens and all others use while that one is
// still unanswered: what it made for all is not its own.

const { Pool } = require('../pool')
const { dueAfter, serve, spin } = require('../witness')

module.exports = {
  name: 'lazy pooled connection',
  file: __filename,
  // A callback in a queue of the program's is seen by a patched V8 only; and that
  // the connection is everybody's, only after some have used it.
  reported: ['events', 'promises', 'patched'],
  async drive (client) {
    const connections = await client.connectWarm(4, '/plain', 10)
    const first = connections[0].get('/first/r')
    await client.sleep(300)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.slice(1).map(async (connection, i) => {
        await client.sleep(12 * i)
        await connection.get(`/pooled/r${round}x${i}`)
      }))
    }
    await first
  }
}

/** @type {Pool | undefined} */
let pool

function first (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  Pool.open().then((opened) => { pool = opened })
  const due = dueAfter(1500)
  setTimeout(() => {
    const last = witness.enter('last', 'timer', 'source', due)
    spin(2)
    witness.finish(response, last, ['source', 'last'])
  }, 1500)
  source.leave()
}

function pooled (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  pool?.ask(20, (firstSent) => {
    const step = witness.enter('first answer', 'tcp_read', 'source', firstSent)
    spin(2)
    pool?.ask(30, (secondSent) => {
      const last = witness.enter('second answer', 'tcp_read', 'first answer', secondSent)
      spin(2)
      witness.finish(response, last, ['source', 'first answer', 'second answer'])
    })
    step.leave()
  })
  source.leave()
}

function plain (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  witness.finish(response, source, ['source'])
}

if (require.main === module) serve({ first, pooled, plain }, { onStop: () => pool?.close() })
