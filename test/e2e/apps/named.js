'use strict'

// Event streams by HTTP/1.1, HTTP/1.0 and HTTP/2; requests that are named by hand.

const http = require('node:http')
const http2 = require('node:http2')
const edgewise = require('../../../lib')
const { serving } = require('./serving')

const wait = () => new Promise((resolve) => setTimeout(resolve, 5))

async function answer (/** @type {any} */ request, /** @type {any} */ response) {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
    await wait()
    response.end('data: 2\n\n')
    return
  }
  if (request.url.startsWith('/named')) edgewise.route('/named/:key')
  if (request.url.startsWith('/given')) {
    await wait()
    edgewise.route('/given/:key', request)
  }
  if (request.url.startsWith('/later')) {
    await wait()
    edgewise.route('/later/:key')
  }
  if (request.url === '/chunked') response.write('a')
  response.end(request.url)
}

/** @type {any} */
const server = process.env.KIND === 'http2' ? http2.createServer(answer) : http.createServer(answer)
serving(server.listen(0, '127.0.0.1'))
