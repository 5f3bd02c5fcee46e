'use strict'

// Works for as many rounds as it is asked to, or does not run for as long.

const crypto = require('node:crypto')
const http = require('node:http')
const { serving } = require('./serving')

const word = new Int32Array(new SharedArrayBuffer(4))

const handlers = {
  work: (/** @type {number} */ rounds) => {
    for (let i = 0; i < rounds; i++) crypto.createHash('sha256').update('x'.repeat(4096)).digest()
  },
  wait: (/** @type {number} */ ms) => Atomics.wait(word, 0, 0, ms)
}

const server = http.createServer((request, response) => {
  const [, what, much] = /** @type {string} */ (request.url).split('/')
  handlers[what](Number(much))
  response.end(what)
})
server.listen(0, '127.0.0.1')
serving(server)
