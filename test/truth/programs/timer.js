'use strict'

// A timer that answers, alone and while another request holds the loop.

const { dueAfter, serve, spin } = require('../witness')

module.exports = {
  name: 'timer',
  file: __filename,
  async drive (client) {
    await client.connectWarm(1, '/spin', 20)
    const [one, other] = await client.connectWarm(2, '/timer', 20)
    for (let round = 0; round < 4; round++) await one.get(`/timer/r${round}`)
    for (let round = 0; round < 4; round++) {
      const answer = one.get(`/timer/late${round}`)
      await client.sleep(15)
      await Promise.all([other.get(`/spin/r${round}`), answer])
    }
  }
}

function timer (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  const ms = request.url.includes('/w') ? 1 : 25
  const due = dueAfter(ms)
  setTimeout(() => {
    const step = witness.enter('timer', 'timer', 'source', due)
    spin(ms < 25 ? 0 : 10)
    witness.finish(response, step, ['source', 'timer'])
  }, ms)
  source.leave()
}

function spinning (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  spin(request.url.includes('/w') ? 0 : 25)
  witness.finish(response, source, ['source'])
}

if (require.main === module) serve({ timer, spin: spinning })
