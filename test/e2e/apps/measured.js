'use strict'

// Two routes of different demands, one that fails to answer, and what
// edgewise.metrics() says of them: at /metrics, for Prometheus.

const http = require('node:http')
const edgewise = require('../../../lib/index')
const { serving } = require('./serving')

function work (/** @type {number} */ ms) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

serving(http.createServer(async (request, response) => {
  if (request.url === '/metrics') return response.end(edgewise.metrics())
  if (request.url === '/breaks') return request.socket.destroy()
  work(1)
  if (request.url === '/asks') await new Promise((resolve) => setTimeout(resolve, 10))
  response.end('done')
}).listen(0, '127.0.0.1'))
