'use strict'

// A to-do list of ours on Redis: many small round trips to a store.

const { createRequire } = require('node:module')
const path = require('node:path')

const { startNode } = require('../app')
const { installed } = require('../cache')
const { length, randomFrom, words } = require('../seed')
const { plainEnvironment, startService, withService } = require('../service')

const USERS = 200
const SHORTEST_LIST = 4
const LONGEST_LIST = 120

/** @returns {Promise<string>} the directory, with server.js beside node_modules */
function install () {
  return installed({
    name: 'todo',
    folder: __dirname,
    npmArgs: ['--ignore-scripts'],
    files: ['server.js', '../cluster-primary.js']
  })
}

/** @type {import('../app').App['start']} */
async function start (context) {
  const folder = await install()
  const redis = await startRedis(context)
  try {
    await fill(folder, redis.port)
    const app = await startNode('todo', context, port => ({
      script: path.join(folder, 'server.js'),
      env: { PORT: String(port), REDIS_PORT: String(redis.port), WORKERS: String(context.workers) }
    }))
    return {
      ...withService(app, redis),
      url: `http://127.0.0.1:${app.port}`,
      reset: () => fill(folder, redis.port)
    }
  } catch (error) {
    await redis.stop()
    throw error
  }
}

/** A server of its own: in memory only, on its own port, without a password. */
function startRedis (context) {
  return startService({
    name: 'redis-server',
    log: path.join(context.runFolder, 'redis.log'),
    signal: context.signal,
    launch: port => ({
      command: 'redis-server',
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', context.runFolder],
      env: plainEnvironment()
    })
  })
}

/** Straight into Redis: the application sees nothing of it. */
async function fill (folder, port) {
  const Redis = createRequire(path.join(folder, 'package.json'))('ioredis')
  const redis = new Redis({ host: '127.0.0.1', port })
  const random = randomFrom(2)
  await redis.flushall()
  let id = 0
  for (let user = 0; user < USERS; user++) {
    const pipeline = redis.pipeline()
    for (let left = length(random, SHORTEST_LIST, LONGEST_LIST); left > 0; left--) {
      const text = words(random, length(random, 2, 30))
      pipeline.hset(`todo:${++id}`, { text, done: random() < 0.3 ? '1' : '0', created: 1.6e12 + id })
      pipeline.rpush(`user:${user}:todos`, id)
    }
    await pipeline.exec()
  }
  await redis.set('todo:last', id)
  await redis.quit()
}

/** @type {import('../app').App['mix']} */
function mix () {
  return {
    variables: {
      user: { integer: [0, USERS - 1] },
      text: { words: [2, 30] },
      open: { pool: [] },
      completed: { pool: [] }
    },
    requests: [
      { name: 'list', weight: 5, path: '/users/{{user}}/todos', expect: { status: [200] } },
      { name: 'create', weight: 3, method: 'POST', path: '/users/{{user}}/todos', json: { text: '{{text}}' }, expect: { status: [201] }, capture: { open: { json: '/href' } } },
      { name: 'complete', weight: 2, method: 'POST', path: '/{{take open}}/complete', expect: { status: [200], contains: '"done":true' }, capture: { completed: { json: '/href' } } },
      { name: 'delete', weight: 1, method: 'DELETE', path: '/{{take completed}}', expect: { status: [204] } }
    ]
  }
}

module.exports = {
  name: 'todo',
  description: 'a to-do list on Express 4 and Redis',
  packages: [
    { name: 'redis-server', group: 'apps', command: 'redis-server', reason: 'keeps the data of todo' }
  ],
  workers: [1, Infinity],
  install,
  start,
  mix
}
