'use strict'

// Three requests in one packet: handled at once, in order, each behind the
// ones before it; and by timers, the second's sooner than the first's, whose
// response must leave first.

const { dueAfter, now, serve, spin } = require('../witness')

// So long that a busy machine does not have both timers run in one pass, which is one event.
const SLOW_MS = 150

module.exports = {
  name: 'keep-alive and pipelining',
  file: __filename,
  async drive (client) {
    const [one] = await client.connectWarm(1, '/once', 20)
    for (let round = 0; round < 4; round++) {
      await one.get(`/once/r${round}`)
      await one.get(`/once/a${round}`, `/behind/b${round}`, `/behind/c${round}`)
      await one.get(`/slow/d${round}`, `/fast/e${round}`)
    }
  }
}

function once (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  spin(request.url.includes('/w') ? 0 : 10)
  witness.finish(response, source, ['source'])
}

// Its response has to wait: Node parses, and handles, all that came in the
// packet before the first response makes room.
function behind (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  response.prependListener('finish', () => witness.ended(['source']))
  spin(10)
  response.end('done\n')
  source.leave()
  witness.add({ components: ['latency_ns'] })
}

function slow (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  const due = dueAfter(SLOW_MS)
  setTimeout(() => {
    const timer = witness.enter('timer', 'timer', 'source', due)
    spin(10)
    witness.finish(response, timer, ['source', 'timer'])
  }, SLOW_MS)
  source.leave()
}

function fast (witness, request, response) {
  // Who set its timer, which does not send the response.
  witness.add({ needsPromises: true })
  const source = witness.enter('source', 'tcp_read', null)
  const due = dueAfter(3)
  setTimeout(() => {
    const timer = witness.enter('timer', 'timer', 'source', due)
    const answering = now()
    // Before Node's own listener, which ends the request; its bytes have left before.
    response.prependListener('finish', () => {
      witness.hidden('turn', 'timer', 'timer')
      witness.ended(['source', 'timer', 'turn'], answering)
      // The first one's timer lets it leave: whose work that is, is a matter of taste.
      witness.add({ components: ['latency_ns'] })
    })
    response.end('done\n')
    timer.leave()
  }, 3)
  source.leave()
}

if (require.main === module) serve({ once, behind, slow, fast })
