'use strict'

// A cluster worker, a worker thread in it, and a child process of the primary,
// each with a server of its own.

const { spawn } = require('node:child_process')
const cluster = require('node:cluster')
const path = require('node:path')
const { Worker, isMainThread, parentPort } = require('node:worker_threads')
const http = require('node:http')

const serve = (name, tell) => {
  const server = http.createServer((request, response) => setTimeout(() => response.end(`${name}\n`), 1))
  server.listen(0, '127.0.0.1', () => tell(/** @type {any} */ (server.address()).port))
  return server
}

function endWith (server) {
  process.on('message', (message) => {
    if (message !== 'stop') return
    server.close()
    server.closeAllConnections()
    process.disconnect()
  })
}

async function primary () {
  const worker = cluster.fork()
  const ports = await new Promise((resolve) => worker.once('message', resolve))
  const child = spawn(process.execPath, [path.join(__dirname, 'http.js')], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { port } = await new Promise((resolve) => child.once('message', resolve))
  process.send({ ...ports, child: port })
  process.on('message', () => {
    worker.send('stop')
    child.send('stop')
    process.disconnect()
  })
}

if (!isMainThread) {
  const server = serve('thread', (port) => parentPort.postMessage(port))
  parentPort.once('message', () => {
    server.close()
    server.closeAllConnections()
  })
} else if (cluster.isPrimary) {
  primary()
} else {
  const thread = new Worker(__filename)
  thread.once('message', (threadPort) => {
    const server = serve('worker', (port) => process.send({ worker: port, thread: threadPort }))
    endWith(server)
    process.on('message', (message) => message === 'stop' && thread.postMessage('stop'))
  })
}
