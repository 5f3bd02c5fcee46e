'use strict'

// A process that answers GET /MS after so many milliseconds, with the time at
// which it did; started by programs, and gone with them.

const http = require('node:http')
const { now } = require('./witness')

const server = http.createServer((request, response) => {
  setTimeout(() => response.end(String(now())), Number(request.url?.slice(1)))
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
process.once('disconnect', () => process.exit())
