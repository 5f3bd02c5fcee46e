'use strict'

// Promise.all waits for the last of three timers, any and race for the first.

const { dueAfter, serve, spin } = require('../witness')

const DELAYS_MS = [10, 20, 30]

module.exports = {
  name: 'Promise.all, any, race',
  file: __filename,
  // Who resolves a promise is known through promises only.
  reported: ['events'],
  // One at a time: timers of one pass share one ready time, the earliest.
  async drive (client) {
    const [one] = await client.connectWarm(1, '/all', 4)
    for (const kind of ['all', 'any', 'race']) {
      for (let round = 0; round < 4; round++) {
        await one.get(`/${kind}/r${round}`)
        await client.sleep(DELAYS_MS[2] + 5)
      }
    }
  }
}

function handlerOf (kind, decisive) {
  return async (witness, request, response) => {
    const source = witness.enter('source', 'tcp_read', null)
    const due = DELAYS_MS.map(dueAfter)
    const timers = DELAYS_MS.map((ms, i) => new Promise((resolve) => setTimeout(() => {
      if (i !== decisive) witness.enter(`timer ${i}`, 'timer', 'source', due[i]).leave()
      resolve(i)
    }, ms)))
    spin(6)
    source.leave()
    await Promise[kind](timers)
    const last = witness.enter('last', 'timer', 'source', due[decisive])
    spin(6)
    witness.finish(response, last, ['source', 'last'])
  }
}

if (require.main === module) serve({ all: handlerOf('all', 2), any: handlerOf('any', 0), race: handlerOf('race', 0) })
