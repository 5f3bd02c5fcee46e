'use strict'

// KIND: apollo (its own server), apollo-express or yoga.

const { createServer } = require('node:http')
const { serving } = require('./serving')

const typeDefs = 'type Query { user(name: String): String } type Mutation { rename(name: String): String }'
const resolvers = {
  Query: {
    user: async (/** @type {any} */ _, /** @type {any} */ { name }) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return `hello ${name}`
    }
  },
  Mutation: { rename: (/** @type {any} */ _, /** @type {any} */ { name }) => name }
}

const KINDS = {
  async apollo () {
    const { ApolloServer } = require('@apollo/server')
    const { startStandaloneServer } = require('@apollo/server/standalone')
    const server = new ApolloServer({ typeDefs, resolvers })
    const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })
    return { address: () => ({ port: Number(new URL(url).port) }), listening: true, close: () => server.stop() }
  },
  async 'apollo-express' () {
    const express = require('express')
    const { ApolloServer } = require('@apollo/server')
    const { expressMiddleware } = require('@as-integrations/express5')
    const server = new ApolloServer({ typeDefs, resolvers })
    await server.start()
    const app = express().use('/graphql', express.json(), expressMiddleware(server))
    return app.listen(0, '127.0.0.1')
  },
  async yoga () {
    const { createSchema, createYoga } = require('graphql-yoga')
    return createServer(createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false })).listen(0, '127.0.0.1')
  }
}

KINDS[/** @type {keyof KINDS} */ (process.env.KIND)]().then(serving)
