'use strict'

// Frameworks that answer in all kinds of places, over HTTP/1.1 or HTTP/2: KIND.

const http2 = require('node:http2')
const { serving } = require('./serving')

const [framework, protocol] = (process.env.KIND ?? '').split(' ')

async function fastify () {
  const app = require('fastify')(protocol === 'http2' ? { http2: true } : {})
  app.addHook('onRequest', async (request, reply) => { if (request.headers['x-who'] === 'nobody') return reply.code(401).send('who?') })
  app.get('/people/:name', async (request) => `${request.routeOptions.url} ${request.constructor.name}`)
  app.get('/shoes/:size', { schema: { params: { type: 'object', properties: { size: { type: 'integer' } } } } }, async () => 'yes')
  app.get('/kept/:name', { preHandler: async (request, reply) => reply.send('kept') }, async () => 'never')
  app.get('/taken/:name', (request, reply) => {
    reply.hijack()
    reply.raw.end('taken')
  })
  app.setErrorHandler((error, request, reply) => reply.code(500).send(error.message))
  app.get('/failing/:name', async () => { throw new Error('of mine') })
  app.register(async (plugin) => {
    plugin.decorateRequest('late', null)
    plugin.addHook('onRequest', (request, reply, done) => request.headers['x-who'] === 'late' ? reply.code(403).send('no') : done())
    plugin.get('/:item', async () => 'item')
    plugin.register(async (inner) => { inner.get('/deep/:key', async () => 'deep') })
  }, { prefix: '/api' })
  app.register(async (plugin) => { plugin.get('/plain/:name', async () => 'plain') })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

function koa () {
  const Router = require('@koa/router')
  const inner = new Router().get('/items/:item', (context) => { context.body = 'item' })
  const router = new Router()
    .get('/people/:name', async (context) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      context.body = 'hello'
    })
    .use('/api/:tenant', inner.routes())
  const app = new (require('koa'))().use(router.routes())
  return protocol === 'http2' ? http2.createServer(app.callback()).listen(0, '127.0.0.1') : app.listen(0, '127.0.0.1')
}

Promise.resolve(framework === 'koa' ? koa() : fastify()).then((server) => serving(server))
