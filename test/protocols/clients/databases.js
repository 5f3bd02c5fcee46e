'use strict'

// Databases and caches, by the clients that applications use.

const Redis = require('ioredis')
const memjs = require('memjs')
const { MongoClient } = require('mongodb')
const mysql = require('mysql2')
const pg = require('pg')
const { SECRETS } = require('../secrets')

const { user, password, database } = SECRETS
const login = ({ port }) => ({ host: '127.0.0.1', port, user, password, database })
const quiet = (emitter) => emitter.on('error', () => {})

const FIND = (marker) => `SELECT name FROM items WHERE note = '${marker}' AND name <> '${SECRETS.digits}' -- ${marker}`

function redis (addressOf) {
  const open = (place) => quiet(new Redis({ ...addressOf(place), password, enableReadyCheck: false }))
  return {
    kind: 'redis',
    oneConnection: true,
    open: { new: open, kept: open, pooled: open },
    names: ['GET', 'HSET'],
    ask: [(connection, marker) => connection.get(`session:${marker}`), (connection, marker) => connection.hset(`user:${SECRETS.digits}`, marker, marker)],
    close: (connection) => connection.disconnect(),
    server: 'redis'
  }
}

const postgresql = {
  type: 'tcp_read',
  kind: 'postgresql',
  server: 'postgresql',
  open: {
    new: (place) => {
      const client = quiet(new pg.Client(login(place)))
      client.connect()
      return client
    },
    kept: (place) => quiet(new pg.Pool({ ...login(place), max: 1, idleTimeoutMillis: 0 })),
    pooled: (place) => quiet(new pg.Pool({ ...login(place), max: 10, idleTimeoutMillis: 0 }))
  },
  names: ['SELECT items', 'INSERT items'],
  ask: [
    (client, marker) => client.query(FIND(marker)),
    (client, marker) => client.query({ name: `add-${SECRETS.digits}`, text: `INSERT INTO items VALUES ($1, '${SECRETS.digits}')`, values: [marker] })
  ],
  close: (client) => client.end()
}

const asked = (ask) => new Promise((resolve, reject) => ask((error, result) => error ? reject(error) : resolve(result)))

const mysqlClient = {
  type: 'tcp_read',
  kind: 'mysql',
  server: 'mysql',
  open: {
    new: (place) => quiet(mysql.createConnection(login(place))),
    kept: (place) => mysql.createPool({ ...login(place), connectionLimit: 1, idleTimeout: 600_000 }),
    pooled: (place) => mysql.createPool({ ...login(place), connectionLimit: 10, idleTimeout: 600_000 })
  },
  names: ['SELECT items', 'INSERT items'],
  ask: [
    (client, marker) => asked((done) => client.query(FIND(marker), done)),
    (client, marker) => asked((done) => client.execute(`INSERT INTO items VALUES (?, '${SECRETS.digits}')`, [marker], done))
  ],
  close: (client) => client.destroy?.() ?? client.end(() => {})
}

/** `maxIdleTimeMS`: a connection of the pool that has rested is given up, and another made. */
function mongoPool (options) {
  return ({ port }) => new MongoClient(`mongodb://127.0.0.1:${port}/`, {
    directConnection: true,
    auth: { username: user, password },
    authMechanism: 'PLAIN',
    authSource: '$external',
    heartbeatFrequencyMS: 600_000,
    ...options
  })
}
const collectionOf = (client) => client.db(database).collection('items')

const mongodb = {
  type: 'tcp_read',
  kind: 'mongodb',
  server: 'mongodb',
  // The client watches its server by a connection of its own, which is nobody's.
  keptClient: true,
  open: { new: mongoPool({ maxIdleTimeMS: 1 }), kept: mongoPool({ maxPoolSize: 1 }), pooled: mongoPool({ maxPoolSize: 10 }) },
  names: ['find items', 'insert items'],
  ask: [
    (client, marker) => collectionOf(client).find({ note: marker, name: { $ne: SECRETS.digits } }).toArray(),
    (client, marker) => collectionOf(client).insertOne({ note: marker })
  ],
  close: (client) => client.close()
}

const openMemjs = ({ port }) => memjs.Client.create(`127.0.0.1:${port}`, { username: user, password, timeout: 5 })
const memcached = {
  type: 'tcp_read',
  kind: 'memcached',
  server: 'memcached',
  oneConnection: true,
  open: { new: openMemjs, kept: openMemjs, pooled: openMemjs },
  names: ['get', 'set'],
  ask: [(client, marker) => client.get(marker), (client, marker) => client.set(`session:${SECRETS.digits}`, marker, { expires: 60 })],
  close: (client) => client.close()
}

module.exports = {
  redis: { ...redis(({ port }) => ({ host: '127.0.0.1', port })), type: 'tcp_read' },
  'redis-unix': { ...redis(({ path }) => ({ path })), type: 'pipe_read' },
  postgresql,
  mysql: mysqlClient,
  mongodb,
  memcached
}
