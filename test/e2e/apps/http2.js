'use strict'

const http2 = require('node:http2')
const { serving } = require('./serving')

const server = http2.createServer()
const sessions = new Set()
server.on('session', (session) => sessions.add(session))
server.on('stream', (stream, headers) => {
  const answer = () => {
    stream.respond({ ':status': 200 })
    stream.end('user\n')
  }
  if (headers[':method'] === 'POST') setTimeout(answer, 2)
  else answer()
})
serving(server.listen(0, '127.0.0.1'), () => sessions.forEach((session) => session.destroy()))
