'use strict'

// Two routes of known demands: /works runs for 3 ms; /asks runs for 1 ms, waits
// 10 ms, and runs for 1 ms.

const http = require('node:http')
const { serving } = require('./serving')

function work (/** @type {number} */ ms) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

serving(http.createServer(async (request, response) => {
  if (request.url === '/works') {
    work(3)
  } else {
    work(1)
    await new Promise((resolve) => setTimeout(resolve, 10))
    work(1)
  }
  response.end('done')
}).listen(0, '127.0.0.1'))
