'use strict'

const Koa = require('koa')
const Router = require('@koa/router')
const { setTimeout: sleep } = require('node:timers/promises')
const { serving } = require('./serving')

// What is started only now has not seen Koa being loaded.
if (process.env.START_LATE) {
  const edgewise = require('../../../lib')
  edgewise.start()
  process.once('exit', edgewise.stop)
}

const app = new Koa()
const router = new Router()
router.get('/user/:id', (context) => { context.body = 'user\n' })
router.post('/api/item/:item', async (context) => {
  await sleep(2)
  context.body = { item: 1 }
})
app.use(router.routes())
serving(app.listen(0, '127.0.0.1'))
