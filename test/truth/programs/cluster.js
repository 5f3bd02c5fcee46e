'use strict'

// Two cluster workers on one port.

const cluster = require('node:cluster')
const { drive, timer } = require('../timer-requests')
const { serve, tell, whenTold } = require('../witness')

module.exports = { name: 'cluster', file: __filename, drive }

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
