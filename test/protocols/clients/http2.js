'use strict'

// HTTP/2 and gRPC, with TLS and without: one connection, whose streams all requests share.

const fs = require('node:fs')
const http2 = require('node:http2')
const path = require('node:path')
const grpc = require('@grpc/grpc-js')
const { CREDENTIALS, SECRETS } = require('../secrets')

const certificate = () => fs.readFileSync(path.join(__dirname, '../../e2e/apps/tls/certificate.pem'))

function ask (session, headers, body) {
  return new Promise((resolve, reject) => {
    session.request(headers).on('error', reject).on('end', resolve).resume().end(body)
  })
}

function sessionOf (scheme) {
  const open = ({ port }) => http2.connect(`${scheme}://localhost:${port}`, { lookup: atOnce, rejectUnauthorized: false }).on('error', () => {})
  const headersOf = (marker) => ({ authorization: CREDENTIALS, cookie: `session=${marker}`, 'x-api-key': marker })
  return {
    type: 'tcp_read',
    oneConnection: true,
    streams: true,
    open: { new: open, kept: open, pooled: open },
    ask: [
      (session, marker) => ask(session, { ':path': `/items/${SECRETS.segment}?token=${marker}`, ...headersOf(marker) }),
      (session, marker) => ask(session, { ':path': '/orders', ':method': 'POST', ...headersOf(marker) }, marker)
    ],
    close: (session) => session.destroy()
  }
}

/** The certificate's name, and no look-up of it, which is another wait. */
function atOnce (name, options, callback) {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

function channelOf (credentialsOf) {
  const open = ({ port }) => new grpc.Client(`127.0.0.1:${port}`, credentialsOf(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.ssl_target_name_override': 'localhost'
  })
  const ask = (method) => (client, marker) => new Promise((resolve, reject) => {
    const metadata = new grpc.Metadata()
    metadata.set('authorization', CREDENTIALS)
    metadata.set('x-api-key', marker)
    client.makeUnaryRequest(method, Buffer.from, Buffer.from, Buffer.from(marker), metadata, (error, answer) => error ? reject(error) : resolve(answer))
  })
  return {
    type: 'tcp_read',
    oneConnection: true,
    streams: true,
    open: { new: open, kept: open, pooled: open },
    ask: [ask('/shop.Items/Find'), ask('/shop.Items/Add')],
    close: (client) => client.close()
  }
}

module.exports = {
  http2: { ...sessionOf('http'), kind: 'h2', names: ['GET /items/:id', 'POST /orders'], server: 'http2' },
  'http2-tls': { ...sessionOf('https'), kind: 'h2', names: ['GET /items/:id', 'POST /orders'], server: 'http2 over TLS' },
  grpc: { ...channelOf(() => grpc.credentials.createInsecure()), kind: 'grpc', names: ['/shop.Items/Find', '/shop.Items/Add'], server: 'grpc' },
  'grpc-tls': { ...channelOf(() => grpc.credentials.createSsl(certificate())), kind: 'grpc', names: ['/shop.Items/Find', '/shop.Items/Add'], server: 'grpc over TLS' }
}
