'use strict'

// The real servers: one of each for the whole suite, on a free port, in a temporary directory, as users of their own.

const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { freePort, plainEnvironment, startService } = require('../../benchmarks/apps/service')
const { SECRETS } = require('./secrets')

const POSTGRES_HOME = '/usr/lib/postgresql'

/** @returns {string} the directory of PostgreSQL's programs; Debian puts them in no PATH */
function postgresPrograms () {
  const versions = fs.existsSync(POSTGRES_HOME) ? fs.readdirSync(POSTGRES_HOME).sort((a, b) => Number(a) - Number(b)) : []
  return path.join(POSTGRES_HOME, versions.at(-1) ?? '', 'bin')
}

const PROGRAMS = {
  redis: { command: 'redis-server', package: 'redis-server' },
  postgresql: { command: path.join(postgresPrograms(), 'postgres'), package: 'postgresql' },
  mysql: { command: 'mariadbd', package: 'mariadb-server' },
  memcached: { command: 'memcached', package: 'memcached' }
}

/** @param {string} name @returns {string | undefined} why it cannot run here */
function missing (name) {
  const program = PROGRAMS[name]
  if (!program || !spawnSync(program.command, ['--version'], { env: programEnvironment() }).error) return undefined
  return `${path.basename(program.command)} is missing: install the Debian package ${program.package}`
}

/** Programs that only an administrator's PATH has are found as well. */
function programEnvironment () {
  const env = plainEnvironment()
  return { ...env, PATH: `${env.PATH}:/usr/sbin` }
}

/** @param {string} user @returns {{ uid?: number, gid?: number }} as whom its server runs; root's rights are none for a database */
function identityOf (user) {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** @returns {string} a directory of the user's own */
function directoryOf (root, name, { uid, gid }) {
  const directory = path.join(root, name)
  fs.mkdirSync(directory, { mode: 0o700 })
  if (uid !== undefined && gid !== undefined) fs.chownSync(directory, uid, gid)
  return directory
}

function startRedis (root) {
  const socket = path.join(root, 'redis.sock')
  return startService({
    name: 'redis-server',
    log: path.join(root, 'redis.log'),
    launch: (port) => ({
      command: PROGRAMS.redis.command,
      args: ['--port', String(port), '--bind', '127.0.0.1', '--unixsocket', socket, '--save', '', '--requirepass', SECRETS.password],
      cwd: root
    })
  }).then((service) => ({ service, address: { port: service.port }, local: { path: socket } }))
}

/** Passwords go over the wire as they are, which no SCRAM does: the harder case for what must not be recorded. */
async function startPostgres (root) {
  const identity = identityOf('postgres')
  const directory = directoryOf(root, 'postgresql', identity)
  const data = path.join(directory, 'data')
  const password = path.join(root, 'password')
  fs.writeFileSync(password, SECRETS.password)
  execFileSync(path.join(postgresPrograms(), 'initdb'), ['-D', data, '--no-sync', '-A', 'password', '-U', SECRETS.user, `--pwfile=${password}`, '--locale=C', '-E', 'UTF8'],
    { ...identity, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
  const service = await startService({
    name: 'postgres',
    ...identity,
    log: path.join(root, 'postgresql.log'),
    launch: (port) => ({
      command: PROGRAMS.postgresql.command,
      args: ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'autovacuum=off'],
      cwd: directory
    }),
    ready: async (port) => Boolean(await asPostgres(port, 'postgres', (client) => client.query('SELECT 1')).catch(() => false)),
    stopSignal: 'SIGINT' // Its fast end.
  })
  await asPostgres(service.port, 'postgres', (client) => client.query(`CREATE DATABASE "${SECRETS.database}"`))
  await asPostgres(service.port, SECRETS.database, (client) => client.query('CREATE TABLE items (name text, note text)'))
  return { service, address: { port: service.port } }
}

async function asPostgres (port, database, task) {
  const { Client } = require('pg')
  const client = new Client({ host: '127.0.0.1', port, user: SECRETS.user, password: SECRETS.password, database })
  client.on('error', () => {})
  await client.connect()
  try {
    return await task(client)
  } finally {
    await client.end()
  }
}

async function startMariadb (root) {
  const identity = identityOf('mysql')
  const directory = directoryOf(root, 'mysql', identity)
  const service = await startService({
    name: 'mariadbd',
    ...identity,
    log: path.join(root, 'mysql.log'),
    // Tables of users would take it as long again to make; without them any user and password will do.
    launch: (port) => ({
      command: PROGRAMS.mysql.command,
      args: ['--no-defaults', `--datadir=${directory}`, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${path.join(directory, 'socket')}`,
        `--pid-file=${path.join(directory, 'pid')}`, '--skip-grant-tables', '--skip-networking=0', '--innodb-flush-log-at-trx-commit=0'],
      env: programEnvironment(),
      cwd: directory
    }),
    ready: greets
  })
  const connection = await require('mysql2/promise').createConnection({ host: '127.0.0.1', port: service.port })
  await connection.query(`CREATE DATABASE ${SECRETS.database}`)
  await connection.query(`CREATE TABLE ${SECRETS.database}.items (name text, note text)`)
  await connection.end()
  return { service, address: { port: service.port } }
}

/** It accepts connections before it serves them. @returns {Promise<boolean>} */
async function greets (port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('data', () => resolve(true)).on('error', () => resolve(false)).on('close', () => resolve(false))
    setTimeout(() => socket.destroy(), 500)
    socket.once('data', () => socket.destroy())
  })
}

async function startMemcached (root) {
  const service = await startService({
    name: 'memcached',
    ...identityOf('nobody'),
    log: path.join(root, 'memcached.log'),
    launch: (port) => ({ command: PROGRAMS.memcached.command, args: ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '16'] })
  })
  return { service, address: { port: service.port } }
}

const STARTERS = { redis: startRedis, postgresql: startPostgres, mysql: startMariadb, memcached: startMemcached }

module.exports = { STARTERS, freePort, missing }
