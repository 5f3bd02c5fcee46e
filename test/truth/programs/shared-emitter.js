'use strict'

// Requests that wait for an emitter, which another request fires: their
// listeners run, and answer, inside its event.

const { EventEmitter } = require('node:events')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'shared emitter',
  file: __filename,
  // A listener is seen by a patched V8 only.
  reported: ['events', 'promises'],
  async drive (client) {
    const [one, two, firing] = await client.connectWarm(3, '/fire', 10)
    for (let round = 0; round < 6; round++) {
      const waiting = [one.get(`/wait/r${round}x0`), two.get(`/wait/r${round}x1`)]
      await client.sleep(20)
      await firing.get(`/fire/r${round}`)
      await Promise.all(waiting)
    }
  }
}

const doorbell = new EventEmitter()

function wait (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  doorbell.once('ring', () => {
    const step = witness.enter('rung', 'tcp_read', 'source')
    spin(2)
    witness.finish(response, step, ['source', 'rung'])
  })
  source.leave()
}

function fire (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  doorbell.emit('ring')
  witness.finish(response, source, ['source'])
}

if (require.main === module) serve({ wait, fire })
