'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { serving } = require('./serving')

// The same application, however Koa was loaded.
function serveKoa (Koa, Router) {
  const app = new Koa()
  const router = new Router()
  router.get('/user/:id', (context) => { context.body = 'user\n' })
  router.post('/api/item/:item', async (context) => {
    await sleep(2)
    context.body = { item: 1 }
  })
  app.use(router.routes())
  serving(app.listen(0, '127.0.0.1'))
}

module.exports = { serveKoa }
