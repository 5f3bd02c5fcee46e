'use strict'

const Router = require('@koa/router')
const Koa = require('koa')
const { serving } = require('./serving')

const inner = new Router().get('/items/:item', (context) => { context.body = 'item' })
const router = new Router()
  .get('/user/:name', async (context) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    context.body = `hello ${context.params.name}`
  })
  .use('/api/:tenant', inner.routes())
serving(new Koa().use(router.routes()).listen(0, '127.0.0.1'))
