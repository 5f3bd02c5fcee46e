'use strict'

// A slow request waits for a worker thread, by promises of the pool's own, and
// then keeps the loop busy: what queues behind that is behind it.

const http = require('node:http')
const workerpool = require('workerpool')
const { serving } = require('./serving')

const pool = workerpool.pool({ maxWorkers: 1, workerType: 'thread' })
const server = http.createServer((request, response) => {
  if (request.url !== '/slow') return response.end('fast')
  pool.exec((/** @type {number} */ number) => number + 1, [1]).then((/** @type {number} */ result) => {
    const end = Date.now() + 60
    while (Date.now() < end);
    response.end(String(result))
  })
})
serving(server.listen(0, '127.0.0.1'), () => pool.terminate())
