'use strict'

// Handlers that occupy the loop; /told answers with the stalls that the application was told of.

const crypto = require('node:crypto')
const http = require('node:http')
const edgewise = require('../../../lib')

/** @type {any[]} */
const told = []
edgewise.on('stall', (stall) => told.push(stall))

function spinning (/** @type {number} */ ms) {
  const end = performance.now() + ms
  let sum = 0
  while (performance.now() < end) sum += Math.sqrt(sum + 1)
  return sum
}

function hashing () {
  const end = performance.now() + 150
  while (performance.now() < end) crypto.pbkdf2Sync('secret', 'salt', 150_000, 32, 'sha1')
}

const work = {
  spin: () => spinning(300),
  short: () => spinning(20),
  later: () => new Promise((resolve) => setTimeout(() => resolve(spinning(100)), 1)),
  native: hashing,
  told: () => new Promise((resolve) => setTimeout(resolve, 20)) // What is over is told in an event of its own.
}

const server = http.createServer(async (request, response) => {
  const name = /** @type {keyof typeof work} */ (String(request.url).split(/[/?]/)[1])
  await work[name]()
  response.end(JSON.stringify(told))
})
server.listen(0, () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
process.once('message', () => {
  server.close()
  server.closeAllConnections()
  process.disconnect?.()
})
