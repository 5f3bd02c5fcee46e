'use strict'

// timer -> file -> timer -> response, with await.

const fs = require('node:fs/promises')
const { setTimeout: sleep } = require('node:timers/promises')
const { dueAfter, serve, spin } = require('../witness')

module.exports = {
  name: 'chain, await',
  file: __filename,
  // Who set a timer that does not answer is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/chain', 5)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/chain/r${round}x${i}`)))
    }
  }
}

async function chain (witness, request, response) {
  const ms = request.url.includes('/w') ? 1 : 8
  const source = witness.enter('source', 'tcp_read', null)
  const firstDue = dueAfter(15)
  const firstTimer = sleep(15)
  source.leave()
  await firstTimer
  const first = witness.enter('first timer', 'timer', 'source', firstDue)
  spin(ms)
  const stat = fs.stat(__filename)
  first.leave()
  await stat
  const file = witness.enter('file', 'fs_stat', 'first timer')
  spin(ms)
  const secondDue = dueAfter(20)
  const secondTimer = sleep(20)
  file.leave()
  await secondTimer
  const second = witness.enter('second timer', 'timer', 'file', secondDue)
  witness.finish(response, second, ['source', 'first timer', 'file', 'second timer'])
}

if (require.main === module) serve({ chain })
