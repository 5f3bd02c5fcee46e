'use strict'

// A process that answers GET /MS after so many milliseconds, with the time at
// which it did; started by programs, and gone with them.

const http = require('node:http')
const { answer, serve } = require('./backend')

const server = http.createServer((request, response) => {
  setTimeout(() => answer((sentNs) => response.end(String(sentNs))), Number(request.url?.slice(1)))
})
serve(server)
