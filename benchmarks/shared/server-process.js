'use strict'

// A server under test: started on its own processor, asked for its port,
// stopped, and everything that it said on stderr kept.

const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')
const { TaskError } = require('../../scripts/tasks/step')

const START_MS = 20_000
const STOP_MS = 10_000

// Nothing outlives the benchmark, however it ends.
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

/**
 * @typedef {object} RunningServer
 * @property {number} pid
 * @property {number} port
 * @property {() => void} placeHelpers puts threads that have begun since on their processors
 * @property {() => Promise<string>} stop resolves to its stderr when it is gone
 */

/**
 * @param {object} options
 * @param {string} options.script
 * @param {string} [options.node] the program that runs it; by default this one
 * @param {string[]} [options.args] of Node, before the script
 * @param {NodeJS.ProcessEnv} [options.env] beside this process's own
 * @param {string} options.cpus as taskset takes them
 * @param {string} [options.helperCpus] of all its threads but the main one; by default the same
 * @param {string} options.cwd
 * @param {boolean} [options.pipe] with a pipe as descriptor 3, read and thrown away
 * @param {number} [options.startMs] until it listens
 * @returns {Promise<RunningServer>}
 * @throws {TaskError} with its stderr, when it does not come up
 */
async function startServer ({ script, node = process.execPath, args = [], env = {}, cpus, helperCpus = cpus, cwd, pipe = false, startMs = START_MS }) {
  const child = spawn('taskset', ['-c', cpus, node, ...args, script],
    /** @type {import('node:child_process').SpawnOptions} */ ({ cwd, env: { ...ownEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe', ...pipe ? ['pipe'] : []] }))
  running.add(child)
  child.once('close', () => running.delete(child))
  const warnings = /** @type {any} */ (child.stdio[3])
  warnings?.resume()
  let stderr = ''
  child.stderr?.on('data', (text) => { stderr += text })
  const exited = once(child, 'exit').catch((error) => { stderr += error.message })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await exited
      clearTimeout(late)
    }
    return stderr
  }
  const port = await Promise.race([portOf(child), exited.then(() => 0), after(startMs)])
  if (!port) {
    await stop()
    throw new TaskError(`${path.basename(script)} did not begin to listen. Its stderr:\n${stderr || '(nothing)'}`)
  }
  const pid = /** @type {number} */ (child.pid)
  const placeHelpers = () => { if (helperCpus !== cpus) moveHelpers(pid, helperCpus) }
  placeHelpers()
  return { pid, port, placeHelpers, stop }
}

// On a real machine the scheduler puts them where it is idle.
function moveHelpers (pid, cpus) {
  for (const id of fs.readdirSync(`/proc/${pid}/task`)) {
    if (Number(id) !== pid && !isPlaced(pid, id, cpus)) execFileSync('taskset', ['-p', '-c', cpus, id], { stdio: 'pipe' })
  }
}

// A program that is started beside the servers takes their processor's time.
function isPlaced (pid, id, cpus) {
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(fs.readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
  return allowed?.[1].replace('-', ',') === cpus
}

// What the caller has set for recording or for Node is not the benchmark's.
function ownEnvironment () {
  const kept = Object.entries(process.env).filter(([name]) => !/^(EDGEWISE_|NODE_OPTIONS$)/.test(name))
  return Object.fromEntries(kept)
}

/** @param {import('node:child_process').ChildProcess} child */
async function portOf (child) {
  for await (const line of readline.createInterface({ input: /** @type {any} */ (child.stdout) })) {
    const match = /^listening (\d+)$/.exec(line)
    if (match) {
      child.stdout?.resume()
      return Number(match[1])
    }
  }
  return 0
}

/** @param {number} ms */
function after (ms) {
  return new Promise((resolve) => setTimeout(resolve, ms, 0).unref())
}

module.exports = { startServer }
