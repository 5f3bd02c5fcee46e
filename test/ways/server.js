'use strict'

// Answers GET /WAY/STATE when the callback of WAY has run, which is due DELAY ms after the request, and tells the
// time at which it did. GET /spin/STATE computes for SPIN ms.

const http = require('node:http')
const { SPIN } = require('./times')
const { partnersTimes, ways } = require('./ways')

const now = () => Number(process.hrtime.bigint())
function spin (ms) { for (const end = now() + ms * 1e6; now() < end;); }

const told = []
const server = http.createServer((request, response) => {
  const [, name, state] = request.url.split('/').map(decodeURIComponent)
  if (name === 'spin') {
    spin(SPIN)
    told.push({ route: `GET ${request.url}`, end: now() })
    return response.end('x')
  }
  const one = { route: `GET ${request.url}`, state, asked: now(), entered: 0, failed: '' }
  told.push(one)
  ways[name].begin((error, at) => {
    one.entered ||= now()
    if (typeof at === 'number') one.ready = { from: at, to: at }
    if (error) one.failed = String(error?.stack ?? error)
    response.end('x')
  }, response)
})

process.on('message', async (message) => {
  if (message === 'tell') process.send({ requests: told, partner: await partnersTimes() })
  if (message === 'stop') process.exit()
})
server.listen(0, '127.0.0.1', async () => {
  for (const way of Object.values(ways)) await way.prepare?.()
  process.send({ port: server.address().port })
})
