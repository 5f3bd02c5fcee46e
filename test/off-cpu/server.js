'use strict'

// A server whose requests run, or do not, and which knows for how long: GET /WHAT/HOW-MUCH.

const http = require('node:http')
const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { times, spin, lock, touch } = require(/** @type {string} */ (process.env.NOT_RUNNING_ADDON))

const file = /** @type {string} */ (process.env.NOT_RUNNING_FILE)
const handlers = {
  spin,
  lock,
  /** @param {number} ms on the processor, of collections */
  collect: (ms) => {
    const [, began] = times()
    while (times()[1] - began < ms * 1e6) /** @type {any} */ (global).gc()
  },
  read: () => fs.readFileSync(file),
  // Each page by itself, or with those around it, for which others may wait.
  touch: (/** @type {number} */ step) => touch(file, step, true),
  storm: (/** @type {number} */ step) => touch(file, step, false)
}

/** @type {import('./run').Known[]} */
const known = []
const since = (before) => {
  const [wall, cpu, delay, faults, sleeps] = times().map((now, i) => now - before[i])
  return { wall, cpu, delay, faults, sleeps }
}

const server = http.createServer((request, response) => {
  const [, what, much] = /** @type {string} */ (request.url).split('/')
  const began = times()
  handlers[what](Number(much))
  known.push(since(began))
  response.end('x')
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {any} */ (server.address()).port }))

let began = times()
let loop = performance.eventLoopUtilization()
process.on('message', (message) => {
  if (message === 'begin') {
    known.length = 0
    began = times()
    loop = performance.eventLoopUtilization()
    process.send?.('begun')
  } else if (message === 'tell') {
    process.send?.({ known, all: { ...since(began), idle: performance.eventLoopUtilization(loop).idle * 1e6 } })
  } else {
    server.closeAllConnections()
    server.close(() => process.disconnect())
  }
})
