'use strict'

const { serving } = require('./serving')
const { setTimeout: sleep } = require('node:timers/promises')

const app = require('fastify')()
app.get('/user/:id', async () => 'user\n')
app.post('/api/item/:item', async () => {
  await sleep(2)
  return { item: 1 }
})
app.listen({ port: 0, host: '127.0.0.1' }).then(() => serving(app.server))
