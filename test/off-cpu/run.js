'use strict'

// Runs a program of programs.js under the recorder: what the kernel said of its requests, beside what the report says.

const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { constants: { errno: { EPERM } } } = require('node:os')
const path = require('node:path')
const { setTimeout: pause } = require('node:timers/promises')
const { buildAddon } = require('../build-addon')
const { report, request, startServer, temporaryDirectory } = require('../e2e/recorded-app')
const { PINNED, makeGroup, sandboxThatRefuses, startRival } = require('../e2e/surroundings')

const WARM = 3
const REQUESTS = 20
const MIB = 1 << 20
/** Of /proc/stat. */
const TICK_NS = 10e6

/**
 * @param {any} t
 * @param {import('./programs').Program} program
 * @returns {Promise<{ known: Known[], all: All, stolen: number, told: any[], whole: any } | string>} stolen: ns that a hypervisor took, at most; a text: why it cannot be run here
 * @typedef {{ wall: number, cpu: number, delay: number, faults: number, sleeps: number }} Known ns of a handler: by the clock, on a processor, waiting for one
 * @typedef {Known & { idle: number }} All of the thread; idle: the loop waited for events
 */
async function run (t, program) {
  const wrapper = []
  // Between two sleeps on one processor it is known how long it waited for that: docs/off-cpu.md.
  if (program.rival || program.company || program.file || program.sums) wrapper.push(...PINNED)
  for (const [controller, limits] of Object.entries(limitsOf(program))) {
    const made = makeGroup(t, controller, limits)
    if (!made) return `no control group of ${controller} can be made here`
    wrapper.unshift(...made.wrapper)
  }
  const file = path.join(temporaryDirectory(t), 'file')
  if (program.file) fs.writeFileSync(file, Buffer.alloc(program.file * MIB, 1), { flush: true })
  if (program.memory) forget(file) // Its pages are whose that read them first.
  const { flags = [], env = {} } = program.sums ? sandboxThatRefuses(`perf_event_open=${EPERM}`) : {}
  const app = await startServer(t, path.join(__dirname, 'server.js'), {
    flags: ['--expose-gc', ...flags],
    wrapper,
    env: { NOT_RUNNING_ADDON: await buildAddon('test/addon/not_running.cc', process.execPath), NOT_RUNNING_FILE: file, ...env, ...program.env }
  })
  const rival = program.rival || program.company ? startRival(t, program.company ? wrapper : PINNED) : undefined
  const ask = async () => {
    if (program.file && !program.memory) forget(file)
    await request(app.port, program.request)
  }
  for (let i = 0; i < WARM; i++) await ask()
  app.child.send('begin')
  await once(app.child, 'message')
  const stolenBefore = stolenNs()
  for (let i = 0; i < REQUESTS; i++) {
    if (program.apart) await pause(program.apart)
    await ask()
  }
  const stolen = stolenNs() - stolenBefore + TICK_NS
  app.child.send('tell')
  const [{ known, all }] = await once(app.child, 'message')
  rival?.kill('SIGKILL')
  await app.stop()
  const whole = report(app.out, { percentile: 0.001, slowest: WARM + REQUESTS })
  if (!program.env && !whole.off_cpu.available) return whole.off_cpu.reason
  const told = whole.slowest.sort((a, b) => a.start_ns - b.start_ns).slice(WARM)
  return { known, all, stolen, told, whole }
}

/** @param {import('./programs').Program} program @returns {Record<string, Record<string, number>>} by controller, files and what they are to hold */
function limitsOf ({ quota, memory }) {
  return {
    ...quota ? { cpu: { 'cpu.cfs_quota_us': quota } } : {},
    ...memory ? { memory: { 'memory.limit_in_bytes': memory * MIB } } : {}
  }
}

/** Of all processors. */
function stolenNs () {
  const [all] = fs.readFileSync('/proc/stat', 'utf8').split('\n')
  return Number(all.trim().split(/\s+/)[8]) * TICK_NS
}

/** Takes a file out of the memory. */
function forget (file) {
  spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}

module.exports = { REQUESTS, run }
