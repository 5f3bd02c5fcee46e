'use strict'

// A gRPC server of grpc-service.js.

const { Server, ServerCredentials, status } = require('@grpc/grpc-js')
const { service } = require('./grpc-service')
const { serving } = require('./serving')

const server = new Server()
server.addService(service, {
  get: (/** @type {any} */ call, /** @type {any} */ done) => setTimeout(() => done(null, `order of ${call.request}`), 2),
  fail: (/** @type {any} */ call, /** @type {any} */ done) => done({ code: status.NOT_FOUND, details: `no ${call.request}` }),
  list (/** @type {any} */ call) {
    for (const each of ['first', 'second']) call.write(`${each} of ${call.request}`)
    setTimeout(() => call.end(), 2)
  },
  sum (/** @type {any} */ call, /** @type {any} */ done) {
    /** @type {string[]} */
    const got = []
    call.on('data', (/** @type {string} */ data) => got.push(data)).on('end', () => done(null, got.join('+')))
  },
  talk: (/** @type {any} */ call) => call.on('data', (/** @type {string} */ data) => call.write(`${data}?`)).on('end', () => call.end())
})

server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  serving({ listening: true, address: () => ({ port }), close: () => server.forceShutdown() })
})
