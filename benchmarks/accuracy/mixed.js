'use strict'

// A server of known delays: it spins, waits for timers and reads files.

const fs = require('node:fs')
const http = require('node:http')
const { announce, BACKLOG } = require('../overhead/servers/listen')

/** @type {Record<string, (amount: number, done: () => void) => void>} */
const WORK = {
  // Microseconds of the loop.
  '/spin': (us, done) => {
    const end = process.hrtime.bigint() + BigInt(us) * 1000n
    while (process.hrtime.bigint() < end);
    done()
  },
  // Milliseconds without it.
  '/timer': (ms, done) => { setTimeout(done, ms) },
  '/file': (_, done) => fs.readFile(__filename, done)
}

const server = http.createServer((request, response) => {
  const [path, amount] = (request.url ?? '').split('?n=')
  const work = WORK[path]
  if (work === undefined) {
    response.statusCode = 404
    return response.end()
  }
  work(Number(amount), () => response.end('done'))
})
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => announce(server))
