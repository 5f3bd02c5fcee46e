'use strict'

// KIND: express or fastify. Decorators are called as compilers call them.

require('reflect-metadata')
const { Controller, Get, Module, Param } = require('@nestjs/common')
const { NestFactory } = require('@nestjs/core')
const { serving } = require('./serving')

class Users {
  async one (/** @type {string} */ name) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    return `hello ${name}`
  }

  failing () { throw new Error('of mine') }
}
for (const [method, path] of [['one', 'user/:name'], ['failing', 'failing/:name']]) {
  Get(path)(Users.prototype, method, /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Users.prototype, method)))
}
Param('name')(Users.prototype, 'one', 0)
Controller('api')(Users)
class Root {}
Module({ controllers: [Users] })(Root)

async function begin () {
  const { ExpressAdapter } = require('@nestjs/platform-express')
  const { FastifyAdapter } = require('@nestjs/platform-fastify')
  const app = await NestFactory.create(Root, process.env.KIND === 'fastify' ? new FastifyAdapter() : new ExpressAdapter(), { logger: false })
  await app.listen(0, '127.0.0.1')
  serving(app.getHttpServer())
}

begin()
