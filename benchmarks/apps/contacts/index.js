'use strict'

// Parse Server on PostgreSQL: a back end that turns REST into SQL.

const fs = require('node:fs')
const path = require('node:path')

const { TaskError, capture, say } = require('../../../scripts/tasks/step')
const { startNode, withContext } = require('../app')
const { installed } = require('../cache')
const { call, forEach, length, randomFrom, words } = require('../seed')
const { withService } = require('../service')
const postgres = require('./postgres')

const KEY = 'edgewise'
const CONTACTS = 2000
const COMPANIES = 100
const USERS = 20

/** @returns {Promise<string>} the directory, with server.js beside node_modules */
function install () {
  return installed({
    name: 'contacts',
    folder: __dirname,
    npmArgs: ['--ignore-scripts'],
    files: ['server.js']
  })
}

/** @type {import('../app').App['start']} */
async function start (context) {
  const folder = await install()
  const data = path.join(context.runFolder, 'postgres')
  copy(await seededData(folder, context.signal), data)
  const database = await postgres.start(data, path.join(context.runFolder, 'postgres.log'), context.signal)
  try {
    const app = await launch(folder, database.port, context)
    return { ...app, ...withService(app, database), reset: async () => restore(database.port) }
  } catch (error) {
    await database.stop()
    throw error
  }
}

async function launch (folder, databasePort, context) {
  const service = await startNode('contacts', context, port => ({
    script: path.join(folder, 'server.js'),
    cwd: context.runFolder, // Its logger makes a folder where it stands.
    env: { PORT: String(port), POSTGRES_PORT: String(databasePort), KEY }
  }))
  return { ...service, url: `http://127.0.0.1:${service.port}` }
}

/**
 * A data directory that holds what every run starts from. It is made once, by
 * a bare Parse Server, for each version of PostgreSQL and each user.
 */
async function seededData (folder, signal) {
  const kept = path.join(folder, `data-${postgres.version()}-${process.getuid?.()}`)
  if (fs.existsSync(kept)) return kept
  say('contacts: making its data (once)')
  await withContext('contacts', { signal }, async context => {
    const data = path.join(context.runFolder, 'postgres')
    postgres.create(data)
    const database = await postgres.start(data, path.join(context.runFolder, 'postgres.log'), signal)
    try {
      postgres.query(database.port, 'CREATE DATABASE contacts')
      const app = await launch(folder, database.port, context)
      try {
        await fill(app.url)
      } finally {
        await app.stop()
      }
      postgres.query(database.port, 'CREATE TABLE seeded_contacts AS TABLE "Contact"', 'contacts')
    } finally {
      await database.stop()
    }
    copy(data, `${kept}.${process.pid}`)
  })
  fs.rmSync(kept, { recursive: true, force: true })
  fs.renameSync(`${kept}.${process.pid}`, kept)
  return kept
}

/** With owners and permissions: they are not this user's when this user is root. */
function copy (from, to) {
  const copied = capture(['cp', '--archive', from, to])
  if (!copied.ok) throw new TaskError(`cannot copy ${from} to ${to}: ${copied.stderr}`)
  fs.chmodSync(path.dirname(to), 0o711)
}

/** Straight in PostgreSQL: the application sees nothing of it. */
function restore (port) {
  for (const sql of ['TRUNCATE "Contact"', 'INSERT INTO "Contact" TABLE seeded_contacts', 'TRUNCATE "_Session"']) {
    postgres.query(port, sql, 'contacts')
  }
}

async function fill (url) {
  const random = randomFrom(5)
  const headers = { 'X-Parse-Application-Id': KEY, 'X-Parse-Master-Key': KEY, 'Content-Type': 'application/json' }
  const post = (path, body) => call(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const contacts = Array.from({ length: CONTACTS }, (_, i) => ({
    name: `${words(random, 2)} ${i}`,
    email: `contact${i}@example.com`,
    phone: String(Math.floor(random() * 1e9)),
    company: `company${Math.floor(random() * COMPANIES)}`,
    notes: words(random, length(random, 3, 60))
  }))
  await post('/parse/classes/Contact', contacts[0]) // makes the class
  await forEach(contacts.slice(1), contact => post('/parse/classes/Contact', contact))
  const users = Array.from({ length: USERS }, (_, i) => ({ username: `user${i}`, password: `password${i}` }))
  await forEach(users, user => post('/parse/users', user))
}

/** @type {import('../app').App['mix']} */
function mix () {
  const headers = { 'X-Parse-Application-Id': KEY }
  const path = '/parse/classes/Contact'
  const found = { status: [200], contains: '"results"' }
  return {
    variables: {
      skip: { integer: [0, CONTACTS - 50] },
      company: { integer: [0, COMPANIES - 1] },
      name: { words: [2, 2] },
      notes: { words: [3, 60] },
      n: { counter: CONTACTS },
      user: { integer: [0, USERS - 1] }
    },
    requests: [
      { name: 'list', weight: 5, path: `${path}?order=name&limit=50&skip={{skip}}`, headers, expect: found },
      {
        name: 'create',
        weight: 3,
        method: 'POST',
        path,
        headers,
        json: { name: '{{name}} {{n}}', email: 'contact{{n}}@example.com', phone: '{{n}}', company: 'company{{company}}', notes: '{{notes}}' },
        expect: { status: [201] }
      },
      { name: 'query', weight: 2, path: `${path}?where=%7B%22company%22%3A%22company{{company}}%22%7D&limit=20`, headers, expect: found },
      { name: 'login', weight: 0.1, method: 'POST', path: '/parse/login', headers, json: { username: 'user{{user}}', password: 'password{{user}}' }, expect: { status: [200], contains: 'sessionToken' } }
    ]
  }
}

module.exports = {
  name: 'contacts',
  description: 'Parse Server 9.10.0 on PostgreSQL',
  packages: [
    {
      name: 'postgresql',
      group: 'apps',
      command: path.join(postgres.programs() ?? '/usr/lib/postgresql', 'initdb'),
      reason: 'keeps the data of contacts'
    }
  ],
  workers: [1],
  install,
  start,
  mix
}
