'use strict'

// A client that goes away before it is answered: its request counts as aborted,
// and disturbs nobody's causality.

const { dueAfter, serve } = require('../witness')

module.exports = {
  name: 'a client hangs up',
  file: __filename,
  async drive (client) {
    const [patient] = await client.connectWarm(1, '/timer', 10)
    for (let round = 0; round < 5; round++) {
      const hasty = await client.connect()
      hasty.get(`/timer/gone${round}`)
      await client.sleep(4)
      const answer = patient.get(`/timer/r${round}`)
      hasty.giveUp()
      await answer
      await client.sleep(30)
    }
  }
}

function timer (witness, request, response) {
  // However late its client comes to go away, it has not been answered.
  const ms = request.url.includes('/w') ? 1 : request.url.includes('/gone') ? 500 : 20
  const source = witness.enter('source', 'tcp_read', null)
  const due = dueAfter(ms)
  setTimeout(() => {
    if (response.destroyed) return
    const step = witness.enter('timer', 'timer', 'source', due)
    witness.finish(response, step, ['source', 'timer'])
  }, ms)
  source.leave()
}

if (require.main === module) serve({ timer })
