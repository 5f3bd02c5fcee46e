'use strict'

// Two worker threads, each with a server of its own, and none in the main
// thread: what one does must not appear in the other's requests.

const { Worker, isMainThread } = require('node:worker_threads')
const { drive, timer } = require('../timer-requests')
const { serve, tell, whenTold } = require('../witness')

module.exports = { name: 'worker threads', file: __filename, drive }

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
