'use strict'

// @ts-ignore: installed on first use
const fastify = require('fastify')
const { announce, BACKLOG } = require('./listen')

const app = fastify()
app.get('/users/:id', async (request) => ({ id: request.params.id, name: 'Ada' }))
app.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }).then(() => announce(app.server))
