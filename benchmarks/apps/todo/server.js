// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// A to-do list: Express 4, with all data in Redis. Each user has a list of the
// ids of his to-dos, each to-do is a hash. PORT, REDIS_PORT and WORKERS (more
// than 1: so many cluster workers) come from the environment; LIST_MOST, where
// it is set, is how many to-dos a list gives: the newest.

const cluster = require('node:cluster')
const process = require('node:process')

const express = require('express')
const Redis = require('ioredis')

const primary = require('./cluster-primary')

const workers = Number(process.env.WORKERS)
const first = process.env.LIST_MOST ? -Number(process.env.LIST_MOST) : 0

if (cluster.isPrimary && workers > 1) primary.run(workers)
else runServer()

function runServer () {
  const redis = new Redis({ host: '127.0.0.1', port: Number(process.env.REDIS_PORT) })
  redis.on('error', error => console.error(`Redis: ${error.message}`))
  const server = createApp(redis).listen(Number(process.env.PORT), '127.0.0.1')
  process.on('SIGTERM', () => {
    server.close(() => redis.quit())
    server.closeIdleConnections()
    cluster.worker?.disconnect()
  })
}

function createApp (redis) {
  const app = express()
  app.disable('x-powered-by')
  app.use(express.json())

  app.get('/users/:user/todos', handle(async ({ params }, response) => {
    const ids = await redis.lrange(listKey(params.user), first, -1)
    const pipeline = redis.pipeline()
    for (const id of ids) pipeline.hgetall(`todo:${id}`)
    const replies = await pipeline.exec()
    response.json(replies.map(([error, hash], i) => {
      if (error) throw error
      return describe(params.user, ids[i], hash)
    }))
  }))

  app.post('/users/:user/todos', handle(async ({ params, body }, response) => {
    const text = body?.text
    if (typeof text !== 'string' || text === '') {
      response.status(400).json({ error: 'text must be a string that is not empty' })
      return
    }
    const id = await redis.incr('todo:last')
    await redis.multi()
      .hset(`todo:${id}`, { text, done: '0', created: Date.now() })
      .rpush(listKey(params.user), id)
      .exec()
    response.status(201).json(describe(params.user, id, { text, done: '0' }))
  }))

  app.post('/users/:user/todos/:id/complete', handle(async ({ params }, response) => {
    const key = `todo:${params.id}`
    if (!await redis.exists(key)) {
      response.status(404).json({ error: 'no such to-do' })
      return
    }
    await redis.hset(key, 'done', '1')
    response.json(describe(params.user, params.id, await redis.hgetall(key)))
  }))

  app.delete('/users/:user/todos/:id', handle(async ({ params }, response) => {
    const removed = await redis.lrem(listKey(params.user), 1, params.id)
    await redis.del(`todo:${params.id}`)
    response.sendStatus(removed ? 204 : 404)
  }))
  return app
}

function describe (user, id, hash) {
  return { id: String(id), href: `users/${user}/todos/${id}`, text: hash.text, done: hash.done === '1' }
}

function listKey (user) {
  return `user:${user}:todos`
}

/** Express 4 does not know that handlers may be asynchronous. */
function handle (handler) {
  return (request, response, next) => { handler(request, response).catch(next) }
}
