'use strict'

// A worker makes a connection and closes it; its number is another's, of the
// main thread, when the worker ends.

const http = require('node:http')
const { Worker } = require('node:worker_threads')
const { serving } = require('./serving')

const WORKER = `
  const net = require('node:net')
  const { parentPort, workerData: port } = require('node:worker_threads')
  parentPort.on('message', () => {})
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET /fd HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'))
  socket.once('data', () => {
    const { fd } = socket._handle
    socket.once('close', () => parentPort.postMessage(fd))
    socket.destroy()
  })`

let worker
const handlers = {
  '/worker': (request, response) => {
    worker = new Worker(WORKER, { eval: true, workerData: request.socket.localPort })
    worker.once('message', (fd) => setTimeout(() => response.end(String(fd)), 50))
  },
  '/end': (request, response) => worker.terminate().then(() => response.end('ended\n')),
  '/busy': (request, response) => {
    const end = Date.now() + 100
    while (Date.now() < end);
    response.end('busy\n')
  }
}

const server = http.createServer((request, response) => {
  const handler = handlers[request.url]
  if (handler) handler(request, response)
  else response.end(String(request.socket._handle.fd))
})
serving(server.listen(0, '127.0.0.1'))
