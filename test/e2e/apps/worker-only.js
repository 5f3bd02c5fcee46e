'use strict'

// Only a worker records, and ends before the process does: how its environment
// says, by edgewise.stop() or without.

const { Worker, isMainThread, parentPort } = require('node:worker_threads')
const http = require('node:http')

if (isMainThread) {
  const worker = new Worker(__filename)
  worker.once('message', (port) => process.send({ port }))
  process.once('message', () => worker.postMessage('stop'))
  worker.once('exit', () => {
    // What the worker has left behind goes, and the loop turns.
    globalThis.gc()
    http.get({ port: 1, host: '127.0.0.1' }).on('error', () => setTimeout(() => process.disconnect(), 50))
  })
} else {
  const edgewise = require('../../../lib')
  edgewise.start()
  const server = http.createServer((request, response) => setTimeout(() => response.end('worker\n'), 1))
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(/** @type {any} */ (server.address()).port))
  parentPort.once('message', () => {
    if (process.env.END_WITH === 'stop') edgewise.stop()
    server.close()
    server.closeAllConnections()
  })
}
