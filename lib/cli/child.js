'use strict'

// A command we started, and everything it started in turn. It leads its own
// session: a signal reaches each of its processes once, from us alone, and
// nothing of it is left when it has been stopped.

const { spawn } = require('node:child_process')
const os = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')
const { Failure, note } = require('./failure')
const { seesProcesses, treeOf } = require('./process-tree')

const LOOK_MS = 25

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null }} End */

/** @type {Set<Child>} those that must not outlive us */
const running = new Set()

class Child {
  /** @param {import('node:child_process').ChildProcess} spawned */
  constructor (spawned) {
    this.spawned = spawned
    this.pid = /** @type {number} */ (spawned.pid)
    /** @type {End | null} null while it runs */
    this.end = null
    /** @type {Promise<End>} */
    this.done = new Promise((resolve) => {
      spawned.once('exit', (code, signal) => {
        this.end = { code, signal }
        resolve(this.end)
      })
    })
    running.add(this)
  }

  /** @returns {number[]} its living processes */
  tree () {
    return treeOf(this.pid)
  }

  /**
   * @param {NodeJS.Signals} name
   * @returns {number[]} living processes that it could not be sent to: another user's
   */
  signal (name) {
    return this.tree().filter((pid) => {
      try {
        process.kill(pid, name)
        return false
      } catch (error) {
        return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM' // Else it has ended since.
      }
    })
  }

  /**
   * Asks every process to end; those that have not after `graceMs` are killed,
   * but for those that are not ours to kill, which is said.
   * @param {number} graceMs
   * @returns {Promise<boolean>} whether all others ended by themselves
   */
  async stop (graceMs) {
    this.signal('SIGTERM')
    const deadline = performance.now() + graceMs
    while (this.tree().length > 0 && performance.now() < deadline) await sleep(LOOK_MS)
    const stubborn = this.tree()
    let left = stubborn
    /** @type {number[]} */
    let foreign = []
    while (left.length > foreign.length) {
      foreign = this.signal('SIGKILL')
      await sleep(LOOK_MS)
      left = this.tree()
    }
    running.delete(this)
    if (left.includes(this.pid)) this.spawned.unref()
    else await this.done
    if (left.length > 0) note(`still running, for only another user may end it: kill ${left.join(' ')}`)
    return stubborn.every((pid) => left.includes(pid))
  }

  /** Lets what is left of it live on when we end. */
  release () {
    running.delete(this)
  }
}

process.once('exit', () => {
  for (const child of running) child.signal('SIGKILL')
})

/**
 * @param {string[]} command its program and arguments; or one text for the shell, see `shell`
 * @param {{ env: NodeJS.ProcessEnv, stdio: import('node:child_process').StdioOptions, shell?: boolean }} options
 * @returns {Promise<Child>}
 * @throws {Failure} when it cannot be started
 */
async function start (command, options) {
  const [program, ...rest] = command
  if (!seesProcesses()) {
    throw new Failure(`cannot start ${JSON.stringify(program)}, as it could not be stopped: /proc is not there, or of other processes; mount it, or run the server with --require edgewise/register`)
  }
  return new Promise((resolve, reject) => {
    const spawned = spawn(program, rest, { ...options, detached: true })
    spawned.once('spawn', () => resolve(new Child(spawned)))
    spawned.once('error', (error) => {
      const code = /** @type {NodeJS.ErrnoException} */ (error).code
      const why = code === 'ENOENT' ? 'no such program' : code === 'EACCES' ? 'it is not executable, or a directory of PATH is not readable' : error.message
      reject(new Failure(`cannot start ${JSON.stringify(program)}: ${why}`))
    })
  })
}

/**
 * @param {End} end
 * @returns {number} the exit code a shell would give
 */
function exitCodeOf ({ code, signal }) {
  return code ?? 128 + (signal ? os.constants.signals[signal] : 0)
}

/** @param {End} end */
function describe ({ code, signal }) {
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`
}

module.exports = { Child, describe, exitCodeOf, start }
