'use strict'

// Each path answers its request in another way, or gives it up: over TRANSPORT.

const domain = require('node:domain') // eslint-disable-line n/no-deprecated-api
const fs = require('node:fs')
const path = require('node:path')
const { serving } = require('./serving')

const BIG = Buffer.alloc(8_000_000, 'b')
const spin = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
const read = (name) => fs.readFileSync(path.join(__dirname, 'tls', name))
const tls = { key: read('key.pem'), cert: read('certificate.pem'), allowHTTP1: true }

const handlers = {
  whole: (request, response) => response.end('x'),
  'whole-empty': (request, response) => response.end(),
  'whole-unchanged' (request, response) { response.statusCode = 304; response.end() },
  'whole-head': (request, response) => response.end(),
  'whole-later': (request, response) => setTimeout(() => response.end('x'), 10),
  'whole-parts' (request, response) { response.write('x'); setTimeout(() => { response.write('y'); response.end() }, 10) },
  'whole-big': (request, response) => response.end(BIG),
  'whole-twice' (request, response) { response.end('x'); response.end(); setTimeout(() => response.end(), 10) },
  'whole-timeout': (request, response) => response.setTimeout(20, () => response.end('late')),
  'whole-refused' (request, response) { response.statusCode = 413; response.setHeader('connection', 'close'); response.end('too large', () => request.destroy()) },
  'whole-destroyed-after' (request, response) { response.end('x', () => request.socket.destroy()) },
  'whole-domain' (request, response) {
    const own = domain.create()
    own.on('error', () => { response.statusCode = 500; response.end('failed') })
    own.run(() => setTimeout(() => { throw new Error('meant to be caught by the domain') }, 5))
  },
  'lost-response' (request, response) { response.destroy(); response.end('x') },
  'lost-socket' (request, response) { request.socket.destroy(); response.end('x') },
  'lost-tick' (request, response) { request.destroy(); process.nextTick(() => response.end('x')) },
  'lost-immediate' (request, response) { request.destroy(); setImmediate(() => response.end('x')) },
  'lost-part' (request, response) {
    response.writeHead(200, { 'content-length': 10 })
    response.write('abc')
    setTimeout(() => { request.socket.destroy(); response.end() }, 10)
  },
  'lost-big' (request, response) { response.end(Buffer.alloc(50_000_000, 'b')); setTimeout(() => request.socket.destroy(), 10) },
  'lost-client-leaves': (request, response) => setTimeout(() => response.end(BIG), 30),
  'lost-client-resets' (request, response) {
    response.writeHead(200, { 'content-length': 10 })
    response.write('abc')
    request.on('close', () => response.end('1234567'))
  },
  'lost-timeout': (request, response) => response.setTimeout(20),
  'lost-socket-timeout': (request, response) => request.socket.setTimeout(20, () => { request.socket.destroy(); response.end('x') }),
  'lost-half-closed': (request, response) => setTimeout(() => response.end('x'), 30),
  'lost-stream-reset': (request, response) => { response.stream.close(2); response.end('x') },
  'lost-session': (request, response) => { response.stream.session.destroy(); response.end('x') },
  'whole-goaway': (request, response) => { response.stream.session.goaway(); response.end('x') },
  'whole-session-closed': (request, response) => { response.stream.session.close(); setTimeout(() => response.end('x'), 10) },
  'whole-trailers' (request, response) { response.addTrailers({ a: 'b' }); response.end('x') },
  'whole-consumed': (request, response) => request.resume().on('end', () => response.end('x')),
  busy (request, response) { spin(50); response.end('x') }
}

const transport = process.env.TRANSPORT ?? 'http'
const handle = (request, response) => handlers[request.url.split('/')[1]](request, response)
const server = {
  http: () => require('node:http').createServer(handle),
  'half-open': () => Object.assign(require('node:http').createServer(handle), { httpAllowHalfOpen: true }),
  https: () => require('node:https').createServer(tls, handle),
  h2c: () => require('node:http2').createServer(handle),
  h2: () => require('node:http2').createSecureServer(tls, handle)
}[transport]()
server.on('upgrade', (request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nx'))
server.on('connect', (request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nx'))
serving(server.listen(0, '127.0.0.1'))
