'use strict'

// Switches recording off and on again many times while it serves.

const http = require('node:http')
const edgewise = require('../../../lib')
const { serving } = require('./serving')

const ROUNDS = 40

const server = http.createServer((request, response) => {
  if (request.url === '/listeners') return response.end(JSON.stringify(listeners()))
  if (request.url === '/toggle') return toggle().then((told) => response.end(JSON.stringify(told)))
  setTimeout(() => response.end('user\n'), 1)
})

function listeners () {
  const channels = require('node:diagnostics_channel')
  return {
    exit: process.listenerCount('exit'),
    start: channels.channel('http.server.request.start').hasSubscribers,
    end: require('node:http').ServerResponse.prototype.end.name,
    own: Object.hasOwn(require('node:http').ServerResponse.prototype, 'end'),
    setTimeout: setTimeout.toString().slice(0, 40)
  }
}

async function toggle () {
  edgewise.stop()
  const off = listeners()
  for (let round = 0; round < ROUNDS; round++) {
    edgewise.start()
    await new Promise((resolve) => setTimeout(resolve, 5))
    edgewise.stop()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const offAgain = listeners()
  edgewise.start()
  return { off, offAgain, on: edgewise.status().recording, rss: process.memoryUsage.rss() }
}
serving(server.listen(0, '127.0.0.1'))
