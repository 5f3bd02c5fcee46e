'use strict'

// Beside OpenTelemetry and a logger that keeps the request's name in an
// AsyncLocalStorage: the answer says what both of them know.

const { AsyncLocalStorage } = require('node:async_hooks')
const { trace } = require('@opentelemetry/api')
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node')

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new InMemorySpanExporter())] }).register()
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] })

const express = require('express')
const pino = require('pino')
const { serving } = require('./serving')

const names = new AsyncLocalStorage()
const lines = /** @type {string[]} */ ([])
const log = pino({ mixin: () => ({ name: names.getStore() }) }, { write: (line) => lines.push(JSON.parse(line).name) })

const items = express.Router().get('/items/:item', async (request, response) => {
  await new Promise((resolve) => setTimeout(resolve, 2))
  log.info('served')
  response.send(`${lines.filter((name) => name === request.params.item).length > 0} ${trace.getActiveSpan() !== undefined}`)
})
const app = express()
app.use((request, response, next) => names.run(request.path.split('/').at(-1), next))
app.use('/api/:tenant', items)
serving(app.listen(0, '127.0.0.1'))
