'use strict'

// Two worker threads, each with a server of its own, and none in the main
// thread: what one does must not appear in the other's requests.

const { Worker, isMainThread } = require('node:worker_threads')
const { dueAfter, serve, spin, tell, whenTold } = require('../witness')

module.exports = {
  name: 'worker threads',
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
  const workers = [new Worker(__filename), new Worker(__filename)]
  const started = await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))))
  tell({ ports: started.map(({ port }) => port) })
  whenTold(() => {
    for (const worker of workers) worker.postMessage('stop')
  })
}

if (!isMainThread) serve({ timer })
else if (require.main === module) main()
