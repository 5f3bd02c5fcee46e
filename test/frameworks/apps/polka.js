'use strict'

// KIND: polka (0.5) or polka-next (1).

const polka = require(process.env.KIND ?? 'polka')
const { serving } = require('./serving')

const api = polka()
  .use((request, response, next) => setTimeout(next, 1))
  .get('/items/:item', (request, response) => response.end(`item ${request.url} ${request.originalUrl}`))
const app = polka({ onError: (error, request, response) => response.writeHead(500).end(String(error.message)) })
  .use((request, response, next) => setTimeout(next, 1))
  .get('/user/:name', (request, response) => response.end(`hello ${request.params.name}`))
  .post('/user/:name', (request, response) => response.end('posted'))
  .get('/files/*', (request, response) => response.end('file'))
  .use('/api', api)
app.listen(0, '127.0.0.1')
serving(app.server)
