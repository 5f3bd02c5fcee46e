'use strict'

// Requests that wait for a timer and then compute: for programs whose question
// is who serves them.

const { dueAfter, spin } = require('./witness')

/** @param {any} client */
async function drive (client) {
  const connections = await client.connectWarm(2, '/timer', 10)
  for (let round = 0; round < 4; round++) {
    await Promise.all(connections.map((connection, i) => connection.get(`/timer/r${round}x${i}`)))
  }
}

function timer (witness, request, response) {
  const ms = request.url.includes('/w') ? 2 : 20
  const source = witness.enter('source', 'tcp_read', null)
  const due = dueAfter(ms)
  setTimeout(() => {
    const step = witness.enter('timer', 'timer', 'source', due)
    spin(ms / 2)
    witness.finish(response, step, ['source', 'timer'])
  }, ms)
  source.leave()
}

module.exports = { drive, timer }
