'use strict'

// A PostgreSQL server of our own: Debian's programs, but another data directory
// and port than the system's. It refuses to run as root, so root lends it the
// user that Debian made for it.

const fs = require('node:fs')
const path = require('node:path')

const { TaskError, capture } = require('../../../scripts/tasks/step')
const { plainEnvironment, startService } = require('../service')

const DEBIAN = '/usr/lib/postgresql'
const DEBIAN_USER = 'postgres'

/** @returns {string | null} the directory of the newest version's programs */
function programs () {
  const versions = fs.existsSync(DEBIAN) ? fs.readdirSync(DEBIAN) : []
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map(version => path.join(DEBIAN, version, 'bin'))
  return folders.find(folder => fs.existsSync(path.join(folder, 'initdb'))) ?? null
}

/** @returns {string} e.g. '15' */
function version () {
  return path.basename(path.dirname(folderOfPrograms()))
}

function folderOfPrograms () {
  const folder = programs()
  if (!folder) throw new TaskError(`${DEBIAN}/VERSION/bin/initdb is missing: install the Debian package postgresql`)
  return folder
}

/** @returns {{uid?: number, gid?: number}} who the server runs as, when it is not this user */
function owner () {
  if (process.getuid?.() !== 0) return {}
  const entry = capture(['getent', 'passwd', DEBIAN_USER]).stdout.split(':')
  if (entry.length < 4) throw new TaskError(`the user ${DEBIAN_USER}, which the Debian package postgresql makes, is missing`)
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/**
 * Creates an empty database cluster.
 * @param {string} folder does not exist yet
 */
function create (folder) {
  const { uid, gid } = own(folder)
  const made = capture([path.join(folderOfPrograms(), 'initdb'), '--pgdata', folder, '--username', 'edgewise',
    '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C.UTF-8', '--no-sync'], { uid, gid, cwd: folder })
  if (!made.ok) throw new TaskError(`initdb failed in ${folder}:\n${made.stdout}${made.stderr}`)
}

/** Makes a directory the server may use; those above it must let it pass. */
function own (folder) {
  const { uid, gid } = owner()
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) {
    fs.chmodSync(path.dirname(folder), 0o711)
    fs.chownSync(folder, uid, gid)
  }
  return { uid, gid }
}

/**
 * @param {string} folder of create(), or a copy of one
 * @param {string} log
 * @param {AbortSignal} signal
 */
function start (folder, log, signal) {
  const bin = folderOfPrograms()
  return startService({
    name: 'PostgreSQL',
    log,
    signal,
    stopSignal: 'SIGINT', // do not wait for clients
    ready: async port => capture([path.join(bin, 'pg_isready'), '--host', '127.0.0.1', '--port', String(port)]).ok,
    launch: port => ({
      command: path.join(bin, 'postgres'),
      args: ['-D', folder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      env: plainEnvironment(),
      cwd: folder
    }),
    ...owner()
  })
}

/**
 * @param {number} port
 * @param {string} sql one statement
 * @param {string} [database]
 */
function query (port, sql, database = 'postgres') {
  const done = capture([path.join(folderOfPrograms(), 'psql'), '--host', '127.0.0.1', '--port', String(port),
    '--username', 'edgewise', '--dbname', database, '--no-psqlrc', '--quiet', '--tuples-only', '--no-align',
    '--set', 'ON_ERROR_STOP=1', '--command', sql])
  if (!done.ok) throw new TaskError(`PostgreSQL: ${sql}: ${done.stderr}`)
  return done.stdout
}

module.exports = { programs, version, create, own, start, query }
