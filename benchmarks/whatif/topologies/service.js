'use strict'

// A service of a topology: it works, and asks others. What it is comes as JSON
// in the environment; how long it works can be changed by a message.

const http = require('node:http')

/** @type {import('./topologies').Service & { port: number, ports: Record<string, number>, concurrent: boolean }} */
const own = JSON.parse(process.env.TOPOLOGY_SERVICE ?? '{}')
/** Iterations of spin() a microsecond: work, not time, so that who is interrupted takes longer. */
const PER_US = 500
const GOLDEN = (Math.sqrt(5) - 1) / 2
const BACKLOG = 4096

let us = own.us
let sink = 0
function spin (/** @type {number} */ length) {
  let x = sink | 1
  const iterations = Math.round(length * PER_US)
  for (let i = 0; i < iterations; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0
  sink = x
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })

/** @param {import('./topologies').Call} call @returns {Promise<void>} */
function ask ({ service, path }) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: own.ports[service], path, agent }, (response) => {
      response.resume()
      response.once('end', resolve)
    }).once('error', reject)
  })
}

let turn = 0
/** @param {number} share @returns {boolean} so often true, spread evenly */
function happens (share) {
  turn = (turn + GOLDEN) % 1
  return turn < share
}

/** @param {string} path */
async function work (path) {
  spin(us)
  const calls = own.endpoints[path].filter(({ share }) => share === 1 || happens(share))
  if (own.concurrent) {
    await Promise.all(calls.map(ask))
  } else {
    for (const call of calls) await ask(call)
  }
}

/** @returns {number} ns that a microsecond of spin() takes here */
function pace () {
  const times = Array.from({ length: 40 }, () => {
    const began = process.hrtime.bigint()
    spin(500)
    return Number(process.hrtime.bigint() - began) / 500
  })
  return times.sort((a, b) => a - b)[4]
}

for (let i = 0; i < 200; i++) spin(100) // Compiled before anybody asks.
http.createServer((request, response) => {
  work(request.url ?? '').then(() => response.end('done'), (error) => {
    response.statusCode = 500
    response.end(String(error))
  })
}).listen({ port: own.port, host: '127.0.0.1', backlog: BACKLOG }, () => process.send?.({ paceNs: pace() }))
process.on('message', (/** @type {{ us: number }} */ message) => {
  us = message.us
  process.send?.({ us })
})
process.once('SIGTERM', () => process.exit(0))
process.once('disconnect', () => process.exit(0))
