'use strict'

// feathers-chat, its data in MongoDB: a list of messages reads the author of
// each one through a pool of connections.

const crypto = require('node:crypto')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')

const { startNode } = require('../app')
const { installed } = require('../cache')
const { length, randomFrom, words } = require('../seed')
const { plainEnvironment, startService, withService } = require('../service')

const USERS = 50
const MESSAGES = 300
const SECOND_MS = 1000
// bcrypt of a word nobody needs: the mix logs nobody in.
const PASSWORD = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

/**
 * feathers-chat's models open files of NeDB; they get collections of MongoDB
 * instead, as its authors' guide does it, and feathers-mongodb stands where
 * feathers-nedb was (package.json).
 * @returns {Promise<string>} the directory
 */
function install () {
  return installed({
    name: 'chat',
    folder: __dirname,
    npmArgs: ['--ignore-scripts'],
    files: ['server.js', 'database.js', 'mongo-server.mjs'],
    prepare: async folder => {
      const models = path.join(folder, 'node_modules/feathers-chat/src/models')
      for (const name of ['users', 'messages']) {
        fs.writeFileSync(path.join(models, `${name}.model.js`),
          `module.exports = () => require('../../../../database').collection('${name}');\n`)
      }
    }
  })
}

/** @type {import('../app').App['start']} */
async function start (context) {
  const folder = await install()
  const mongo = await startMongo(folder, context)
  try {
    const tokens = await fill(folder, mongo.port)
    const app = await startNode('chat', context, port => ({
      script: path.join(folder, 'server.js'),
      env: { PORT: String(port), MONGO_PORT: String(mongo.port) }
    }))
    return {
      ...withService(app, mongo),
      url: `http://127.0.0.1:${app.port}`,
      variables: { token: { choice: tokens } },
      reset: async () => { await fill(folder, mongo.port) }
    }
  } catch (error) {
    await mongo.stop()
    throw error
  }
}

function startMongo (folder, context) {
  return startService({
    name: 'the MongoDB server',
    log: path.join(context.runFolder, 'mongo.log'),
    signal: context.signal,
    launch: port => ({
      command: process.execPath,
      args: [path.join(folder, 'mongo-server.mjs')],
      env: { ...plainEnvironment(), PORT: String(port) }
    })
  })
}

/** @returns {Promise<string[]>} a token for each user, as a login would give */
async function fill (folder, port) {
  const load = createRequire(path.join(folder, 'package.json'))
  const { MongoClient, ObjectId } = load('mongodb')
  const id = number => new ObjectId(number.toString(16).padStart(24, '0'))
  const client = await MongoClient.connect(`mongodb://127.0.0.1:${port}/chat`, { useNewUrlParser: true, useUnifiedTopology: true })
  const random = randomFrom(4)
  const users = Array.from({ length: USERS }, (_, i) => ({
    _id: id(1 + i), email: `user${i}@example.com`, password: PASSWORD, avatar: `/avatar/${i}`
  }))
  const now = Date.now()
  const messages = Array.from({ length: MESSAGES }, (_, i) => ({
    _id: id(0x10000 + i),
    text: words(random, length(random, 2, 60)).slice(0, 400),
    userId: id(1 + Math.floor(random() * USERS)),
    createdAt: now - (MESSAGES - i) * SECOND_MS
  }))
  await client.db().dropDatabase()
  await client.db().collection('users').insertMany(users)
  await client.db().collection('messages').insertMany(messages)
  await client.close()
  const { authentication } = load('feathers-chat/config/default.json')
  return users.map(user => sign(authentication, user._id.toHexString()))
}

/** A JSON Web Token (RFC 7519, HS256) of the kind feathers' login returns. */
function sign ({ secret, jwtOptions }, userId) {
  const part = object => Buffer.from(JSON.stringify(object)).toString('base64url')
  const issued = Math.floor(Date.now() / SECOND_MS)
  const text = part({ alg: jwtOptions.algorithm, typ: jwtOptions.header.typ }) + '.' + part({
    iat: issued, exp: issued + 86400, aud: jwtOptions.audience, iss: jwtOptions.issuer, sub: userId, jti: crypto.randomUUID()
  })
  return `${text}.${crypto.createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** @type {import('../app').App['mix']} */
function mix () {
  const headers = { Authorization: 'Bearer {{token}}', 'Accept-Encoding': 'gzip' }
  return {
    variables: { text: { words: [2, 60] } },
    requests: [
      { name: 'list', weight: 5, path: '/messages?$limit=25&$sort[createdAt]=-1', headers, expect: { status: [200] } },
      { name: 'post', weight: 3, method: 'POST', path: '/messages', headers, json: { text: '{{text}}' }, expect: { status: [201] } },
      { name: 'users', weight: 2, path: '/users', headers, expect: { status: [200] } }
    ]
  }
}

module.exports = {
  name: 'chat',
  description: 'feathers-chat 4.0.0 on MongoDB\'s protocol',
  packages: [],
  workers: [1],
  install,
  start,
  mix
}
