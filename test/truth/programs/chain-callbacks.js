'use strict'

// timer -> file -> timer -> response, each step in a callback.

const fs = require('node:fs')
const { dueAfter, serve, spin } = require('../witness')

module.exports = {
  name: 'chain, callbacks',
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

function chain (witness, request, response) {
  const ms = request.url.includes('/w') ? 1 : 8
  const source = witness.enter('source', 'tcp_read', null)
  const firstDue = dueAfter(15)
  setTimeout(() => {
    const first = witness.enter('first timer', 'timer', 'source', firstDue)
    spin(ms)
    fs.stat(__filename, () => {
      const file = witness.enter('file', 'fs_stat', 'first timer')
      spin(ms)
      const secondDue = dueAfter(20)
      setTimeout(() => {
        const second = witness.enter('second timer', 'timer', 'file', secondDue)
        witness.finish(response, second, ['source', 'first timer', 'file', 'second timer'])
      }, 20)
      file.leave()
    })
    first.leave()
  }, 15)
  source.leave()
}

if (require.main === module) serve({ chain })
