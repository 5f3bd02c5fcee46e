'use strict'

// Async iteration and async generators over a shared connection.

const { Pool } = require('../pool')
const { serve, spin } = require('../witness')

const ANSWERS = 3

module.exports = {
  name: 'async generators, shared',
  file: __filename,
  // Whom a shared connection resumes is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/iterate', 10)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map(async (connection, i) => {
        await client.sleep(7 * i)
        await connection.get(`/iterate/r${round}x${i}`)
      }))
    }
  }
}

async function main () {
  const pool = await Pool.open()
  async function * answers (delayMs) {
    for (let i = 0; i < ANSWERS; i++) yield await pool.asked(delayMs)
  }
  async function iterate (witness, request, response) {
    const warm = request.url.includes('/w')
    let step = witness.enter('source', 'tcp_read', null)
    const names = ['source']
    const each = answers(warm ? 0 : 20)
    let next = each.next()
    step.leave()
    while (true) {
      const { done, value } = await next
      if (done) break
      const name = `answer ${names.length}`
      step = witness.enter(name, 'tcp_read', names.at(-1), value, pool.sinceNs())
      names.push(name)
      spin(warm ? 0 : 2)
      next = each.next()
      if (names.length <= ANSWERS) step.leave()
    }
    witness.finish(response, step, names)
  }
  serve({ iterate }, { onStop: () => pool.close() })
}

if (require.main === module) main()
