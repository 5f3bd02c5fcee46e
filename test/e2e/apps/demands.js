'use strict'

// Two routes of known demands: /works runs for 3 ms (WORKS_MS); /asks runs for
// 1 ms, waits 10 ms (WAITS_MS), and runs for 1 ms.

const http = require('node:http')
const { serving } = require('./serving')

const WORKS_MS = Number(process.env.WORKS_MS ?? 3)
const WAITS_MS = Number(process.env.WAITS_MS ?? 10)

function work (/** @type {number} */ ms) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

serving(http.createServer(async (request, response) => {
  if (request.url === '/works') {
    work(WORKS_MS)
  } else {
    work(1)
    await new Promise((resolve) => setTimeout(resolve, WAITS_MS))
    work(1)
  }
  response.end('done')
}).listen(0, '127.0.0.1'))
