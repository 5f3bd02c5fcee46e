'use strict'

// A server that we started: until it listens, under a load, and its end.

const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { send } = require('../control')
const { describe, start } = require('./child')
const { Failure, note } = require('./failure')
const { aborted } = require('./interruption')
const { ALL_IPV6, listenersOf } = require('./process-tree')

const GRACE_MS = 10_000
const LOOK_MS = 50
const OFF_MS = 2000
const FLUSH_MS = 150
const INSPECTOR_PORT = 9229
const OUR_STDERR = 2
const STAY = '; one that puts itself into the background must be told to stay in the foreground'

/** What children print must not mix with the result on stdout. @type {import('node:child_process').StdioOptions} */
const CHILD_STDIO = ['ignore', OUR_STDERR, OUR_STDERR]

/** @typedef {import('./child').Child} Child */
/** @typedef {import('./process-tree').Listener} Listener */

/**
 * @typedef {object} Loading
 * @property {string} load shell command; it finds the server in $PORT and $URL
 * @property {number} [for] seconds after which it is ended
 * @property {number} [port] the server's, when it may listen on several
 * @property {number} wait seconds the server may take until it listens
 * @property {import('node:child_process').StdioOptions} [stdio] the load's
 */

/**
 * @param {Child} app
 * @param {Loading} options
 * @param {AbortSignal} interrupted
 * @param {(url: string) => void | Promise<void>} [onListening] before the load begins
 * @returns {Promise<{ problem?: string, seconds: number }>} what went wrong although there is something to
 *   report; how long the load ran, 0: interrupted before
 * @throws {Failure} the server ended, or did not listen in time
 */
async function underLoad (app, options, interrupted, onListening) {
  const listener = await listening(app, options, interrupted)
  if (!listener) return { seconds: 0 }
  const url = `http://${listener.address}:${listener.port}`
  await onListening?.(url)
  // NODE_OPTIONS may record all that runs Node.
  const env = { ...process.env, EDGEWISE_ENABLED: '0', PORT: String(listener.port), URL: url }
  const began = performance.now()
  const child = await start([options.load], { env, stdio: options.stdio ?? CHILD_STDIO, shell: true })
  const over = (/** @type {string} */ problem = '') => ({ ...problem && { problem }, seconds: (performance.now() - began) / 1000 })
  const timeout = options.for ? pause(options.for) : never()
  const settled = new AbortController()
  try {
    const first = await Promise.race([
      child.done.then(() => 'load'), app.done.then(() => 'app'), timeout.then(() => 'time'),
      aborted(interrupted, settled.signal).then(() => 'interrupt')
    ])
    if (first === 'app' && app.end) return over(`the server ${describe(app.end)} before the load was over`)
    if (first === 'load' && child.end && child.end.code !== 0) return over(`the load ${describe(child.end)}: ${options.load}`)
    return over()
  } finally {
    settled.abort()
    await child.stop(GRACE_MS)
  }
}

/**
 * @param {Child} app
 * @param {{ port?: number, wait: number }} options
 * @param {AbortSignal} interrupted
 * @returns {Promise<Listener | null>} null: interrupted
 * @throws {Failure} it ended, or did not listen in time
 */
async function listening (app, options, interrupted) {
  const deadline = performance.now() + options.wait * 1000
  while (!interrupted.aborted) {
    if (app.end) throw new Failure(`the server ${describe(app.end)} before it listened on a port${app.end.code === 0 ? STAY : ''}`)
    const found = listenersOf(app.tree())
    const chosen = choose(found, options.port)
    if (chosen) {
      const others = found.filter((listener) => listener !== chosen).map((listener) => listener.port)
      if (others.length > 0 && !options.port) note(`it listens on ${others.join(', ')} too; --port chooses another`)
      return { ...chosen, address: await hostOf(chosen) }
    }
    if (options.port && await accepts(options.port)) return { port: options.port, address: '127.0.0.1', pid: app.pid }
    if (performance.now() > deadline) {
      const which = options.port ? `port ${options.port}` : 'a TCP port'
      throw new Failure(`the server did not listen on ${which} within ${options.wait} s; --wait allows more, --port names the port`)
    }
    await sleep(LOOK_MS)
  }
  return null
}

/**
 * @param {Listener[]} listeners
 * @param {number | undefined} wanted
 */
function choose (listeners, wanted) {
  if (wanted) return listeners.find((listener) => listener.port === wanted)
  return listeners.find((listener) => listener.port !== INSPECTOR_PORT)
}

/** @param {Listener} listener @returns {Promise<string>} where it can be connected to, as a URL has it */
async function hostOf ({ address, port }) {
  if (address !== ALL_IPV6) return address
  return await isFree(port) ? '[::1]' : '127.0.0.1'
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether nobody listens there in IPv4: found by listening for a moment, which a
 *   server does not notice, as it would a connection
 */
function isFree (port) {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/**
 * Ends a recorded server so that all it recorded is written.
 *
 * @param {Child} app
 */
async function stop (app) {
  if (!app.end) await writeOut(app)
  if (!await app.stop(GRACE_MS)) note(`it did not end within ${GRACE_MS / 1000} s of SIGTERM and was killed`)
}

/**
 * A process that SIGTERM ends loses what it has not yet written: the end of the
 * load. So its recorders stop first, in order.
 *
 * @param {Child} app
 */
async function writeOut (app) {
  const asked = app.tree().map((pid) => send(pid, 'off', { timeoutMs: OFF_MS }).then(() => true, () => false))
  const answers = await Promise.all(asked)
  // Worker threads hear of it from their process; they flush at least this often.
  if (answers.includes(true)) await sleep(FLUSH_MS)
}

/**
 * @param {number | undefined} port
 * @throws {Failure} when somebody accepts connections there before the server is started
 */
async function refuseTaken (port) {
  if (port && await accepts(port)) {
    throw new Failure(`port ${port} is taken by another process: stop it, or let the server listen elsewhere`)
  }
}

/** @param {number} wanted @returns {Promise<boolean>} whether somebody accepts connections there */
function accepts (wanted) {
  return new Promise((resolve) => {
    const socket = net.connect(wanted, '127.0.0.1')
    socket.once('connect', () => { socket.destroy(); resolve(true) })
    socket.once('error', () => resolve(false))
  })
}

/** @param {number} seconds; does not keep the process alive */
function pause (seconds) {
  return sleep(seconds * 1000, undefined, { ref: false })
}

/** @returns {Promise<never>} */
function never () {
  return new Promise(() => {})
}

module.exports = { CHILD_STDIO, listening, never, pause, refuseTaken, stop, underLoad }
