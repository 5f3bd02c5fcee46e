'use strict'

/** @param {any} Hono of either kind of module */
function application (Hono) {
  const app = new Hono()
  app.use(async (context, next) => {
    await next()
    context.header('x-served', 'yes')
  })
  app.get('/user/:name', (context) => context.text(`hello ${context.req.param('name')}`))
  app.post('/user/:name', async (context) => context.json(await context.req.json()))
  app.get('/files/*', (context) => context.text('file'))
  app.get('/failing/:name', () => { throw new Error('of mine') })
  app.onError((error, context) => context.text(error.message, 500))
  app.use('/guarded/:name', (context) => context.text('no', 401))
  app.get('/guarded/:name', (context) => context.text('never'))
  const api = new Hono()
  api.get('/items/:item', async (context) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    return context.text('item')
  })
  app.route('/api', api)
  return app
}

module.exports = { application }
