'use strict'

// Works for as many rounds as it is asked to, or does not run for as long.

const crypto = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const { serving } = require('./serving')

const word = new Int32Array(new SharedArrayBuffer(4))

const handlers = {
  work: (/** @type {number} */ rounds) => {
    for (let i = 0; i < rounds; i++) crypto.createHash('sha256').update('x'.repeat(4096)).digest()
  },
  wait: (/** @type {number} */ ms) => Atomics.wait(word, 0, 0, ms)
}

/** Of this thread, on a processor. */
const ranNs = () => Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0])

const server = http.createServer((request, response) => {
  const [, what, much] = /** @type {string} */ (request.url).split('/')
  const before = ranNs()
  handlers[what](Number(much))
  response.end(JSON.stringify([before, ranNs()]))
})
server.listen(0, '127.0.0.1')
serving(server)
