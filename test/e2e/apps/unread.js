'use strict'

// Answers a body after WAIT_MS, without having read it to its end, and works for
// WORK_MS then: what its client asks next comes while the rest still waits to be
// read.

const http = require('node:http')
const { serving } = require('./serving')

const WAIT_MS = Number(process.env.WAIT_MS)
const WORK_MS = Number(process.env.WORK_MS)

const server = http.createServer((request, response) => {
  if (request.method === 'GET') return response.end('next')
  setTimeout(() => {
    response.end('unread')
    const until = performance.now() + WORK_MS
    while (performance.now() < until);
  }, WAIT_MS)
})
serving(server.listen(0, '127.0.0.1'))
