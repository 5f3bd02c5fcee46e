'use strict'

const Hapi = require('@hapi/hapi')
const { serving } = require('./serving')

async function begin () {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' })
  server.route({
    method: 'GET',
    path: '/user/{name}',
    handler: async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return `hello ${request.params.name}`
    }
  })
  server.route({ method: 'POST', path: '/user/{name}', handler: (request) => request.payload })
  server.route({ method: 'GET', path: '/files/{path*}', handler: (request, h) => h.response('file').code(201) })
  server.route({ method: 'GET', path: '/failing/{name}', handler: () => { throw new Error('of mine') } })
  await server.register({ name: 'part', register: (part) => part.route({ method: 'GET', path: '/items/{item}', handler: () => 'item' }) }, { routes: { prefix: '/api' } })
  await server.start()
  serving(server.listener)
}

begin()
