'use strict'

// Starts processes that serve on a loopback port, and stops them again.

const { spawn } = require('node:child_process')
const { randomInt } = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')

const { TaskError } = require('../../scripts/tasks/step')

const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 15_000
const LOG_LINES = 30
const PORT_ATTEMPTS = 3
const FIRST_PORT = 10_000

/** Leaders of the process groups that run, in the order they were started. */
const running = new Set()

// Whatever ends this process, nothing it started outlives it.
process.on('exit', () => { for (const child of running) signalGroup(child, 'SIGKILL') })

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {number} port
 * @property {number} pid
 * @property {Promise<string>} ended how the process ended, in words
 * @property {() => string} logTail the last lines it printed
 * @property {() => Promise<{code: number | null, signal: string | null, killed: boolean}>} stop
 *   ends it with SIGTERM; `killed`: it did not comply in time and got SIGKILL.
 *   May be called again.
 */

/**
 * @returns {Promise<number>} a port of 127.0.0.1 that was free just now, and that no
 *   connection and no listen(0) takes meanwhile: the kernel gives out those from 32768 on
 */
async function freePort () {
  for (;;) {
    const port = randomInt(FIRST_PORT, 32_768)
    const server = net.createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (error.code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

/**
 * Starts a process, in a process group of its own (Ctrl-C in the terminal does
 * not reach it: it is stopped in its turn), and waits until its port accepts
 * connections.
 * @param {object} options
 * @param {string} options.name for messages
 * @param {(port: number) => {command: string, args: string[], env?: NodeJS.ProcessEnv, cwd?: string}} options.launch
 *   what to start so that it listens on 127.0.0.1:port; called again with
 *   another port when that one was taken meanwhile
 * @param {string} options.log file for its output
 * @param {(port: number) => Promise<boolean>} [options.ready] whether it serves;
 *   default: whether it accepts connections
 * @param {AbortSignal} [options.signal] gives up waiting
 * @param {NodeJS.Signals} [options.stopSignal]
 * @param {number} [options.stopWithinMs] how long stop() waits before it kills
 * @param {number} [options.uid] user and group to run as
 * @param {number} [options.gid]
 * @returns {Promise<Service>}
 * @throws {TaskError} with its last lines, when it does not come up
 */
async function startService (options) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const service = launchOn(port, options)
    const failure = await becomesReady(service, options.ready ?? accepts, options.signal)
    if (!failure) return service
    await service.stop()
    options.signal?.throwIfAborted()
    const tail = service.logTail()
    const portTaken = /EADDRINUSE|address already in use/i.test(tail)
    if (portTaken && attempt < PORT_ATTEMPTS) continue
    throw new TaskError(`${options.name} did not come up on port ${port}: ${failure}.\n` +
      `The end of ${options.log}:\n${tail}`)
  }
}

/** @returns {number[]} what was started and runs: leaders of process groups */
function startedGroups () {
  return [...running].map(({ pid }) => pid)
}

/** @param {number} port @param {Parameters<typeof startService>[0]} options @returns {Service} */
function launchOn (port, { name, launch, log, stopSignal = 'SIGTERM', stopWithinMs = STOP_WITHIN_MS, uid, gid }) {
  const { command, args, env, cwd } = launch(port)
  const out = fs.openSync(log, 'w')
  const child = spawn(command, args, { env, cwd, uid, gid, stdio: ['ignore', out, out], detached: true })
  fs.closeSync(out)
  running.add(child)
  const result = { code: /** @type {number | null} */ (null), signal: /** @type {string | null} */ (null), killed: false }
  let over = false
  /** @type {Promise<string>} */
  const ended = new Promise(resolve => {
    child.once('error', error => { over = true; running.delete(child); resolve(`did not start: ${error.message}`) })
    child.once('exit', (code, signal) => {
      over = true
      Object.assign(result, { code, signal })
      signalGroup(child, 'SIGKILL') // what it forked and left behind
      running.delete(child)
      resolve(signal ? `ended by ${signal}` : `ended with code ${code}`)
    })
  })
  const stop = async () => {
    if (!over) {
      child.kill(stopSignal)
      const late = new AbortController()
      await Promise.race([ended, sleep(stopWithinMs, null, { signal: late.signal }).catch(() => {})])
      late.abort()
      if (!over) {
        result.killed = true
        signalGroup(child, 'SIGKILL')
        await ended
      }
    }
    return result
  }
  return { name, port, pid: child.pid ?? -1, ended, logTail: () => lastLines(log), stop }
}

/** @returns {Promise<string | null>} why it is not ready, null: it is */
async function becomesReady (service, isReady, signal) {
  const state = { ended: '' }
  service.ended.then(how => { state.ended = `it ${how}` })
  const deadline = Date.now() + READY_WITHIN_MS
  while (!signal?.aborted) {
    const ready = await isReady(service.port)
    if (state.ended) return state.ended // and another process listens there
    if (ready) return null
    if (Date.now() > deadline) return `it does not serve after ${READY_WITHIN_MS / 1000} s`
    await sleep(50)
  }
  return 'interrupted'
}

/** Connects and hangs up: no request, so a recording does not see one. */
async function accepts (port) {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * An application and a service that it cannot do without, as one.
 * @param {Service} app
 * @param {Service} service
 * @returns {Service} the application's, but `ended` is also when the service
 *   ends, and stop() stops the application, then the service
 */
function withService (app, service) {
  const state = { first: app }
  const ended = Promise.race([
    app.ended,
    service.ended.then(how => {
      state.first = service
      return `lost ${service.name}, which ${how}`
    })
  ])
  return {
    ...app,
    ended,
    logTail: () => state.first.logTail(),
    stop: async () => {
      const result = await app.stop()
      await service.stop()
      return result
    }
  }
}

function signalGroup (child, signal) {
  if (!child.pid) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function lastLines (file) {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd() : ''
  return text ? text.split('\n').slice(-LOG_LINES).map(line => `  ${line}`).join('\n') : '  (it printed nothing)'
}

/**
 * The environment for services and for a bare application: without what would
 * make a Node.js process record itself.
 * @returns {NodeJS.ProcessEnv}
 */
function plainEnvironment () {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) =>
    !name.startsWith('EDGEWISE_') && !/^npm_/i.test(name) && name !== 'NODE_OPTIONS'))
}

module.exports = { freePort, startService, startedGroups, withService, plainEnvironment }
