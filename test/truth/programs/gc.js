'use strict'

// A full collection in a known event.

const { dueAfter, now, serve } = require('../witness')

const kept = []

module.exports = {
  name: 'forced GC',
  file: __filename,
  flags: ['--expose-gc'],
  async drive (client) {
    const [one] = await client.connectWarm(1, '/gc', 8)
    for (let round = 0; round < 6; round++) await one.get(`/gc/r${round}`)
  }
}

function gc (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  const due = dueAfter(20)
  setTimeout(() => {
    const timer = witness.enter('timer', 'timer', 'source', due)
    const before = now()
    global.gc()
    witness.add({ gc_ns: now() - before })
    witness.finish(response, timer, ['source', 'timer'])
  }, 20)
  source.leave()
}

if (require.main === module) {
  for (let i = 0; i < 300_000; i++) kept.push({ i, text: `kept ${i}` })
  serve({ gc })
}
