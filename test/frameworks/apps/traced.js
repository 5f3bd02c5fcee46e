'use strict'

// KIND: dd-trace, sentry or none of them. What they see goes to TRACES_PORT.

const collector = `127.0.0.1:${process.env.TRACES_PORT}`
const KINDS = {
  none: () => ({}),
  'dd-trace' () {
    require('dd-trace').init({ url: `http://${collector}`, service: 'shop' })
    return {}
  },
  sentry () {
    const sentry = require('@sentry/node')
    sentry.init({ dsn: `http://key@${collector}/1`, tracesSampleRate: 1 })
    return { atErrors: sentry.setupExpressErrorHandler, onStop: () => sentry.close() }
  }
}
const { atErrors, onStop } = /** @type {any} */ (KINDS[/** @type {keyof KINDS} */ (process.env.KIND)]())

const express = require('express')
const http = require('node:http')
const { serving } = require('./serving')

const items = express.Router().get('/items/:item', async (request, response) => {
  await new Promise((resolve) => setTimeout(resolve, 2))
  response.send(`item ${request.params.item} of ${request.baseUrl}`)
})
const app = express()
app.use('/api/:tenant', items)
app.get('/failing/:name', async () => { throw new Error('of mine') })
app.get('/own/:name', (request, response) => response.send('own'))
app.get('/asking/:name', (request, response) => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  http.get({ port, path: `/own/${request.params.name}` }, (answer) => answer.pipe(response))
})
atErrors?.(app)
app.use((/** @type {Error} */ error, /** @type {any} */ request, /** @type {any} */ response, /** @type {any} */ next) => response.status(500).send(error.message))
const server = app.listen(0, '127.0.0.1')
serving(server, onStop)
