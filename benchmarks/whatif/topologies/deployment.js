'use strict'

// The services of a topology on this machine: the target and the load generator
// on one core, all others on another, before all else that runs there.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { findSocket, send } = require('../../../lib/control')
const { LOAD } = require('../../../lib/native/native-files')
const { freePort } = require('../../apps/service')
const { ROOT } = require('../../../scripts/tasks/tree')

const REGISTER = path.join(ROOT, 'lib', 'register.js')
const TARGET_CPU = '0'
const OTHERS_CPU = '1'
/**
 * Services go before all that is not in real time. In it themselves they would lose 5 % of each second: a kernel does
 * not let real-time programs have all of a processor.
 */
const FIRST = ['chrt', '--other', '0', 'nice', '-n', '-20']
/** The generator, which hardly computes, waits for no service. */
const GENERATOR_PRIORITY = '11'
const CONNECTIONS = 64
const COUNT_MS = 20_000

/** @typedef {{ name: string, pid: number, child: import('node:child_process').ChildProcess, out: string, paceNs: number }} Process */

class Deployment {
  /** @type {Process[]} in the order of the topology: users ask the first */
  processes = []
  /** @type {import('node:child_process').ChildProcess | null} */
  load = null
  #loadedMs = NaN

  /**
   * @param {import('./topologies').Built} built
   * @param {{ target: string, concurrent: boolean, directory: string }} options
   */
  async start ({ services }, { target, concurrent, directory }) {
    this.target = target
    /** @type {Record<string, number>} */
    const ports = {}
    for (const { name } of services) ports[name] = await freePort()
    for (const service of [...services].reverse()) {
      const { name } = service
      const out = path.join(directory, name)
      fs.mkdirSync(out)
      const env = { ...process.env, EDGEWISE_OUT: out, TOPOLOGY_SERVICE: JSON.stringify({ ...service, port: ports[name], ports, concurrent }) }
      const child = start([process.execPath, '--require', REGISTER, path.join(__dirname, 'service.js')], name === target ? TARGET_CPU : OTHERS_CPU, env)
      const [{ paceNs }] = await message(child, name)
      this.processes.unshift({ name, pid: /** @type {number} */ (child.pid), child, out, paceNs })
    }
    const url = `http://127.0.0.1:${ports[services[0].name]}/${services[0].name}`
    this.#loadedMs = performance.now()
    this.load = spawn(...line(['chrt', '--fifo', GENERATOR_PRIORITY, ...pinned(TARGET_CPU), LOAD, '--closed', '--connections', String(CONNECTIONS), '--duration', '3600', url]), { stdio: ['ignore', 'ignore', 'inherit'] })
    return this
  }

  /** @returns {Promise<import('../../../lib/slow/experiment').Running[]>} */
  async running () {
    return Promise.all(this.processes.map(async ({ name, pid }) => ({ name, pids: [pid], counted: [await socketOf(pid)], cpus: new Set([Number(name === this.target ? TARGET_CPU : OTHERS_CPU)]) })))
  }

  get targetProcess () {
    return /** @type {Process} */ (this.processes.find(({ name }) => name === this.target))
  }

  /** The target really works that long from now on. @param {number} us */
  async change (us) {
    const { child, name } = this.targetProcess
    const changed = message(child, name)
    child.send({ us })
    await changed
  }

  /** @returns {number} since when there is load */
  get loadedS () {
    return (performance.now() - this.#loadedMs) / 1000
  }

  /** Each has recorded since it began. */
  async stopRecording () {
    await Promise.all(this.processes.map(({ pid }) => send(pid, 'off', { timeoutMs: COUNT_MS })))
  }

  async stop () {
    const children = [this.load, ...this.processes.map(({ child }) => child)].filter((child) => child !== null)
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(late)
    }
  }
}

/** @param {string[]} command @returns {[string, string[]]} */
const line = ([program, ...args]) => [program, args]

/** @param {string} cpu */
const pinned = (cpu) => ['taskset', '-c', cpu]

/** @param {string[]} command @param {string} cpu @param {NodeJS.ProcessEnv} env */
function start (command, cpu, env) {
  return spawn(...line([...FIRST, ...pinned(cpu), ...command]), { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** @param {import('node:child_process').ChildProcess} child @param {string} name @returns {Promise<any[]>} its next message */
async function message (child, name) {
  const told = new AbortController()
  const until = { signal: told.signal }
  const ended = once(child, 'exit', until).then(([code, signal]) => { throw new Error(`service ${name} has ended: ${signal ?? code}`) })
  try {
    return await Promise.race([once(child, 'message', until), ended])
  } finally {
    ended.catch(() => {})
    told.abort()
  }
}

/** @param {number} pid @returns {Promise<string>} its control socket, which it opens as it starts */
async function socketOf (pid) {
  for (const deadline = Date.now() + COUNT_MS; ; await sleep(50)) {
    try {
      return findSocket(pid)
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

module.exports = { Deployment }
