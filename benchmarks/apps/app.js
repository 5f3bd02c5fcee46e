'use strict'

// What an application is to the benchmarks, and the list of them.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const { installPackages } = require('../../scripts/tasks/debian-packages')
const { TaskError } = require('../../scripts/tasks/step')
const { plainEnvironment, startService } = require('./service')

const NAMES = ['etherpad', 'todo', 'blog', 'chat', 'contacts']

/**
 * How an application is to be started.
 * @typedef {object} Context
 * @property {string} node the Node.js that runs the application (not its services)
 * @property {string[]} nodeArgs arguments for it, before the script
 * @property {Record<string, string>} env added to the environment of the application only
 * @property {number} workers 1: one process; more: that many cluster workers
 * @property {string} runFolder an empty directory for data and logs
 * @property {AbortSignal} signal aborted by Ctrl-C: stop waiting
 * @property {string} [cpus] the processors of the application (not of its services), as taskset takes them
 */

/**
 * @typedef {object} Running
 * @property {string} url
 * @property {number} port
 * @property {number} pid of the application (with workers: the primary)
 * @property {Promise<string>} ended how the application ended, in words
 * @property {() => string} logTail its last lines
 * @property {object} [variables] values that complete the mix's variables
 * @property {() => Promise<{code: number | null, signal: string | null, killed: boolean}>} stop
 *   stops the application, then its services
 * @property {() => Promise<void>} reset the data as they were after start(),
 *   while it runs; this sends the application no more than it must
 */

/**
 * start() leaves data as they are meant to be: a run needs no reset() before it.
 * @typedef {object} App
 * @property {string} name
 * @property {string} description
 * @property {import('../../scripts/tasks/debian-packages').Package[]} packages Debian packages it needs
 * @property {number[]} workers numbers of cluster workers it can run with; [1] or [1, Infinity]
 * @property {() => Promise<string>} install once; returns the directory
 * @property {(context: Context) => Promise<Running>} start
 * @property {(context: {workers: number}) => object} mix the request mix, as edgewise-load reads it
 */

/**
 * @param {string | App} name of an application here, or one that is defined elsewhere
 * @returns {App}
 * @throws {TaskError} naming the applications there are
 */
function findApp (name) {
  if (typeof name === 'object') return name
  if (!NAMES.includes(name)) {
    throw new TaskError(`there is no application "${name}"; there are ${NAMES.join(', ')}`, 2)
  }
  return require(`./${name}`)
}

/**
 * Makes sure of an application's Debian packages and npm packages.
 * @param {App} app
 */
async function prepare (app) {
  const missing = missingFrom(app.packages)
  if (missing.length > 0) await installPackages(missing)
  await app.install()
}

/** `command` may be a path: programs that are not on PATH, such as PostgreSQL's. */
function missingFrom (packages) {
  return packages.filter(entry => !(entry.command && onPath(entry.command)))
}

function onPath (command) {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(':')
  return folders.some(folder => fs.existsSync(path.join(folder, command)))
}

/**
 * Starts the application's own process under its context.
 * @param {string} name
 * @param {Context} context
 * @param {(port: number) => {script: string, args?: string[], env?: Record<string, string>, cwd?: string}} launch
 */
function startNode (name, context, launch) {
  return startService({
    name,
    log: path.join(context.runFolder, `${name}.log`),
    signal: context.signal,
    launch: port => {
      const { script, args = [], env, cwd } = launch(port)
      const command = [...placed(context), context.node, ...context.nodeArgs, script, ...args]
      return {
        command: command[0],
        args: command.slice(1),
        env: { ...plainEnvironment(), NODE_ENV: 'production', ...env, ...context.env },
        cwd
      }
    }
  })
}

/**
 * taskset becomes what it starts: the process is the application's.
 * @param {Context} context
 */
function placed ({ cpus }) {
  return cpus === undefined ? [] : ['taskset', '--cpu-list', cpus]
}

/**
 * Runs a task with the context of a start, and removes its directory after.
 * @template T
 * @param {string} name
 * @param {Partial<Context>} options what differs from a bare process of this Node.js
 * @param {(context: Context) => Promise<T>} task
 * @returns {Promise<T>}
 */
async function withContext (name, options, task) {
  const runFolder = fs.mkdtempSync(path.join(os.tmpdir(), `edgewise-${name}-`))
  try {
    return await task({
      node: options.node ?? process.execPath,
      nodeArgs: options.nodeArgs ?? [],
      env: options.env ?? {},
      workers: options.workers ?? 1,
      signal: options.signal ?? new AbortController().signal,
      cpus: options.cpus,
      runFolder
    })
  } finally {
    fs.rmSync(runFolder, { recursive: true, force: true })
  }
}

module.exports = { NAMES, findApp, prepare, startNode, withContext }
