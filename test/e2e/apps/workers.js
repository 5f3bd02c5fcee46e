'use strict'

// Starts a worker for each request, and answers with what is recorded in it.

const http = require('node:http')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { serving } = require('./serving')

const CODE = `const { parentPort } = require('node:worker_threads')
parentPort.postMessage(require(${JSON.stringify(path.join(__dirname, '../../../lib'))}).status())`

const server = http.createServer((request, response) => {
  const env = request.url === '/own-environment' ? { EDGEWISE_OUT: 'own', EDGEWISE_ENABLED: '1' } : process.env
  const worker = new Worker(CODE, { eval: true, env })
  worker.once('message', ({ recording, file }) => response.end(JSON.stringify({ recording, directory: file && path.dirname(file) })))
})
serving(server.listen(0, '127.0.0.1'))
