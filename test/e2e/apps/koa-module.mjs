import Koa from 'koa'
import Router from '@koa/router'
import { setTimeout as sleep } from 'node:timers/promises'
import serving from './serving.js'

const app = new Koa()
const router = new Router()
router.get('/user/:id', (context) => { context.body = 'user\n' })
router.post('/api/item/:item', async (context) => {
  await sleep(2)
  context.body = { item: 1 }
})
app.use(router.routes())
serving.serving(app.listen(0, '127.0.0.1'))
