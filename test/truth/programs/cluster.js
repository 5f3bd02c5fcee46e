'use strict'

// Two cluster workers on one port.

const cluster = require('node:cluster')
const { dueAfter, serve, spin, tell, whenTold } = require('../witness')

module.exports = {
  name: 'cluster',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(2, '/timer', 10)
    for (let round = 0; round < 4; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/timer/r${round}x${i}`)))
    }
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

async function main () {
  const workers = [cluster.fork(), cluster.fork()]
  const [{ port }] = await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))))
  tell({ port })
  whenTold(() => {
    for (const worker of workers) worker.send('stop')
  })
}

if (cluster.isWorker) serve({ timer })
else if (require.main === module) main()
