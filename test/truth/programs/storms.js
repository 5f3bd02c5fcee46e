'use strict'

// A thousand ticks in the event that answers; thirty immediates in a row, each
// set by the one before.

const { serve, spin } = require('../witness')

const TICKS = 1000
const IMMEDIATES = 30

module.exports = {
  name: 'nextTick and immediate storms',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(2, '/ticks', 10)
    for (const kind of ['ticks', 'immediates', 'both']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map((connection, i) => connection.get(`/${kind}/r${round}x${i}`)))
      }
    }
  }
}

function warm (request) {
  return request.url.includes('/w')
}

function ticks (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  const next = (left) => {
    if (left > 0) return process.nextTick(next, left - 1)
    spin(warm(request) ? 0 : 10)
    witness.finish(response, source, ['source'])
  }
  next(TICKS)
}

function immediates (witness, request, response) {
  // Who set an immediate that does not answer.
  witness.add({ needsPromises: true })
  const path = ['source']
  let step = witness.enter('source', 'tcp_read', null)
  const next = (left) => {
    if (path.length > 1 || left < IMMEDIATES) step = witness.enter(`immediate ${left}`, 'immediate', path.at(-1))
    if (left < IMMEDIATES) path.push(`immediate ${left}`)
    if (left === 0) return witness.finish(response, step, path)
    spin(warm(request) ? 0 : 0.5)
    setImmediate(next, left - 1)
    step.leave()
  }
  next(IMMEDIATES)
}

let immediatesSet = 0

function both (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  // Both requests have come with one poll: one pass runs both immediates.
  if (immediatesSet++ > 0) witness.add({ timesNeedPromises: true })
  setImmediate(() => {
    immediatesSet--
    const step = witness.enter('immediate', 'immediate', 'source')
    const next = (left) => {
      if (left > 0) return process.nextTick(next, left - 1)
      spin(warm(request) ? 0 : 10)
      witness.finish(response, step, ['source', 'immediate'])
    }
    next(TICKS)
  })
  source.leave()
}

if (require.main === module) serve({ ticks, immediates, both })
