'use strict'

// HTTP/1: Node's own client, with TLS and without, and undici.

const http = require('node:http')
const https = require('node:https')
const { Client, Pool } = require('undici')
const { CREDENTIALS, SECRETS } = require('../secrets')

const headersOf = (marker) => ({ authorization: CREDENTIALS, cookie: `session=${marker}`, 'x-api-key': marker })
const questionOf = (marker) => ({ method: 'GET', path: `/items/${SECRETS.segment}?token=${marker}`, headers: headersOf(marker) })
// A body's length is known, so that it leaves with its head.
const orderOf = (marker) => ({ method: 'POST', path: '/orders', headers: { ...headersOf(marker), 'content-length': marker.length }, body: marker })

/** @param {any} module @param {any} connection @param {any} question @returns {Promise<void>} */
function ask (module, { port, agent }, { body, ...question }) {
  return new Promise((resolve, reject) => {
    module.request({ ...question, host: '127.0.0.1', servername: 'localhost', port, agent, rejectUnauthorized: false }, (response) => {
      response.on('error', reject).on('end', resolve).resume()
    }).on('error', reject).end(body)
  })
}

/** @param {any} module */
function clientOf (module) {
  const agentOf = (options) => (place) => ({ ...place, agent: new module.Agent({ keepAlive: true, ...options }) })
  return {
    type: 'tcp_read',
    open: { new: (place) => ({ ...place, agent: false }), kept: agentOf({ maxSockets: 1 }), pooled: agentOf({}) },
    ask: [(connection, marker) => ask(module, connection, questionOf(marker)), (connection, marker) => ask(module, connection, orderOf(marker))],
    close: ({ agent }) => agent && agent.destroy()
  }
}

const NAMES = ['GET /items/:id', 'POST /orders']
const askUndici = async (dispatcher, question) => (await dispatcher.request(question)).body.text()

module.exports = {
  http: { ...clientOf(http), kind: 'http', names: NAMES, server: 'http' },
  undici: {
    type: 'tcp_read',
    kind: 'http',
    names: NAMES,
    server: 'http',
    open: {
      new: ({ port }) => new Client(`http://127.0.0.1:${port}`),
      kept: ({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: 1 }),
      pooled: ({ port }) => new Pool(`http://127.0.0.1:${port}`)
    },
    ask: [(dispatcher, marker) => askUndici(dispatcher, questionOf(marker)), (dispatcher, marker) => askUndici(dispatcher, orderOf(marker))],
    close: (dispatcher) => dispatcher.destroy()
  },
  https: { ...clientOf(https), kind: 'https', names: NAMES, server: 'https' }
}
