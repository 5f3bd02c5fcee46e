'use strict'

// The servers that are ours, one process: HTTP/1, HTTPS, HTTP/2, gRPC, MongoDB's wire, a name server. They answer at once.
// What came encrypted, and by which connection, is told by the server, as no proxy can read it.

const dgram = require('node:dgram')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const path = require('node:path')
const grpc = require('@grpc/grpc-js')
const { createMongoServer } = require('./mongo-server')
const { markersIn } = require('./secrets')
const { answerTo } = require('../ways/name-server')

const TLS = path.join(__dirname, '../e2e/apps/tls')
const identity = { key: fs.readFileSync(path.join(TLS, 'key.pem')), cert: fs.readFileSync(path.join(TLS, 'certificate.pem')) }

/** @type {{ marker: string, ports: string }[]} by the port of the asking end, and of this one */
const told = []

/** @param {any} request @param {any} response */
function serve (request, response) {
  const { remotePort, localPort } = (request.stream?.session ?? request).socket
  for (const marker of markersIn(`${request.url} ${JSON.stringify(request.headers)}`)) told.push({ marker, ports: `${remotePort} ${localPort}` })
  request.resume().on('end', () => {
    response.setHeader('content-length', 1)
    response.end('x')
  })
}

const BYTES = { requestSerialize: Buffer.from, requestDeserialize: Buffer.from, responseSerialize: Buffer.from, responseDeserialize: Buffer.from }
const unary = (path) => ({ path, requestStream: false, responseStream: false, ...BYTES })

async function openGrpc (credentials) {
  const server = new grpc.Server()
  const answer = (call, callback) => {
    const ports = `${call.getPeer().split(':').at(-1)} ${own}`
    for (const marker of markersIn(JSON.stringify(call.metadata.getMap()))) told.push({ marker, ports })
    callback(null, Buffer.from('x'))
  }
  server.addService({ find: unary('/shop.Items/Find'), add: unary('/shop.Items/Add') }, { find: answer, add: answer })
  const own = await new Promise((resolve, reject) => server.bindAsync('127.0.0.1:0', credentials, (error, port) => error ? reject(error) : resolve(port)))
  return own
}

async function portOf (server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

async function main () {
  const names = dgram.createSocket('udp4').on('message', (question, { port, address }) => names.send(answerTo(question), port, address))
  names.bind(0, '127.0.0.1')
  await once(names, 'listening')
  const idle = { keepAliveTimeout: 600_000 }
  process.send?.({
    http: await portOf(http.createServer(idle, serve)),
    https: await portOf(https.createServer({ ...identity, ...idle }, serve)),
    http2: await portOf(http2.createServer(serve)),
    'http2 over TLS': await portOf(http2.createSecureServer(identity, serve)),
    grpc: await openGrpc(grpc.ServerCredentials.createInsecure()),
    'grpc over TLS': await openGrpc(grpc.ServerCredentials.createSsl(null, [{ private_key: identity.key, cert_chain: identity.cert }])),
    mongodb: await portOf(createMongoServer()),
    dns: names.address().port
  })
}

process.on('message', () => process.send?.(told))
process.once('disconnect', () => process.exit())
main()
