'use strict'

const http = require('node:http')
const { announce, BACKLOG } = require('./listen')

const server = http.createServer((request, response) => response.end('hello'))
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => announce(server))
