'use strict'

// One for all: a transform that takes one thing at a time, and a loop that hands
// out what a stream brings. Each begins its work for a request in the event of
// the one before.

const { PassThrough, Transform } = require('node:stream')
const { Pool } = require('../pool')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'shared transform and loop',
  file: __filename,
  // What a function of nobody's makes for one request while it runs for another
  // is taken for that one's: a limit of the method.
  reported: ['events', 'promises', 'patched'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/transformed', 5)
    for (const connection of connections) await connection.get(`/handed/w${connections.indexOf(connection)}`)
    for (const kind of ['transformed', 'handed']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map(async (connection, i) => {
          await client.sleep(8 * i)
          await connection.get(`/${kind}/r${round}x${i}`)
        }))
      }
    }
  }
}

/**
 * Two questions, the second asked in the first's answer.
 * @param {(ms: number, answered: (sentNs: number) => void) => void} ask
 */
function handlerOf (ask) {
  return (witness, request, response) => {
    const ms = request.url.includes('/w') ? 0 : 10
    const source = witness.enter('source', 'tcp_read', null)
    ask(ms, (firstSent) => {
      const first = witness.enter('first answer', 'tcp_read', 'source', firstSent)
      spin(ms / 5)
      ask(ms, (secondSent) => {
        const second = witness.enter('second answer', 'tcp_read', 'first answer', secondSent)
        spin(ms / 5)
        witness.finish(response, second, ['source', 'first answer', 'second answer'])
      })
      first.leave()
    })
    source.leave()
  }
}

async function main () {
  const pool = await Pool.open()
  const transform = new Transform({
    objectMode: true,
    transform (job, encoding, done) {
      pool.ask(job.ms, (sentNs) => done(null, { ...job, sentNs }))
    }
  })
  transform.on('data', ({ answered, sentNs }) => answered(sentNs))

  const answers = new PassThrough({ objectMode: true })
  const takers = []
  async function handOut () {
    for await (const sentNs of answers) takers.shift()(sentNs)
  }
  function take (ms, answered) {
    takers.push(answered)
    pool.ask(ms, (sentNs) => answers.write(sentNs))
  }
  handOut()
  serve({ transformed: handlerOf((ms, answered) => transform.write({ ms, answered })), handed: handlerOf(take) },
    { onStop: () => { pool.close(); answers.end() } })
}

if (require.main === module) main()
