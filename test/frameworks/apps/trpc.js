'use strict'

// KIND: standalone, express or fastify.

const { initTRPC } = require('@trpc/server')
const { serving } = require('./serving')

const t = initTRPC.create()
const named = (/** @type {unknown} */ input) => {
  if (typeof input !== 'string') throw new Error('a name is a string')
  return input
}
const router = t.router({
  user: t.router({
    byName: t.procedure.input(named).query(async ({ input }) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return `hello ${input}`
    }),
    rename: t.procedure.input(named).mutation(({ input }) => `renamed ${input}`)
  }),
  failing: t.procedure.query(() => { throw new Error('of mine') })
})

const KINDS = {
  standalone () {
    const { createHTTPServer } = require('@trpc/server/adapters/standalone')
    return createHTTPServer({ router, basePath: '/trpc/' }).listen(0, '127.0.0.1')
  },
  express () {
    const { createExpressMiddleware } = require('@trpc/server/adapters/express')
    return require('express')().use('/trpc', createExpressMiddleware({ router })).listen(0, '127.0.0.1')
  },
  async fastify () {
    const { fastifyTRPCPlugin } = require('@trpc/server/adapters/fastify')
    const app = require('fastify')()
    await app.register(fastifyTRPCPlugin, { prefix: '/trpc', trpcOptions: { router } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  }
}

Promise.resolve(KINDS[/** @type {keyof KINDS} */ (process.env.KIND)]()).then(serving)
