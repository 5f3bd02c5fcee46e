'use strict'

// The primary of a cluster: forks workers, passes SIGTERM on to them, and ends
// when the last has ended. Copied beside the servers that use it.

const cluster = require('node:cluster').default ?? require('node:cluster')
const process = require('node:process')

/**
 * @param {number} workers how many
 * @param {(index: number) => Record<string, string>} [environment] what is added to a worker's
 */
exports.run = (workers, environment = () => ({})) => {
  for (let i = 0; i < workers; i++) cluster.fork(environment(i))
  let stopping = false
  process.on('SIGTERM', () => {
    stopping = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
  })
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return // the primary ends when nothing is left to wait for
    console.error(`worker ${worker.process.pid} ended: ${signal || `code ${code}`}`)
    process.exit(1)
  })
}
