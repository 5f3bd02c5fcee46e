'use strict'

// One server under one load, recorded, and seen by its client.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { ROOT } = require('../../scripts/tasks/tree')
const { TaskError } = require('../../scripts/tasks/step')
const { runLoad } = require('../shared/load')
const { startServer } = require('../shared/server-process')
const { pair, readSamples } = require('./client')
const { compareEach, compareQuantiles, compareReady } = require('./compare')
const { watchKernel } = require('./kernel')

/** The servers of benchmarks/overhead, and one of known delays. */
const SERVERS = {
  hello: { script: 'hello.js', path: '/', mix: null },
  express: { script: 'express.js', path: '/users/7', mix: null },
  fastify: { script: 'fastify.js', path: '/users/7', mix: null },
  mixed: { script: path.join(__dirname, 'mixed.js'), path: '/', mix: path.join(__dirname, 'mixed.json') }
}

const WARMUP_S = 1
const WARMUP_CONNECTIONS = 32

/**
 * @param {keyof SERVERS} name
 * @param {any} settings
 * @returns {Promise<number>} requests/s of the recorded server at saturation
 */
async function saturation (name, settings) {
  return within(async (scratch) => {
    const server = await start(name, scratch, settings)
    try {
      await closedLoop(name, server, WARMUP_S, settings)
      return (await closedLoop(name, server, settings.seconds, settings)).achieved_rate_per_s
    } finally {
      await server.stop()
    }
  })
}

/**
 * @param {keyof SERVERS} name
 * @param {string[]} shape arguments of edgewise-load: an open loop's rate, or a closed loop
 * @param {any} settings
 * @returns {Promise<any>} what agreed and what did not
 */
async function measure (name, shape, settings) {
  return within(async (scratch) => {
    const samplesFile = path.join(scratch, 'samples.csv')
    const server = await start(name, scratch, settings)
    let summary, warmup, readable, unavailable, overflows
    try {
      warmup = await closedLoop(name, server, WARMUP_S, settings)
      const kernel = watchKernel(server.port)
      const args = [...shape, '--duration', String(settings.seconds), '--stamps', '--samples', samplesFile, ...mixOf(name)]
      const overflowsBefore = backlogOverflows()
      try {
        summary = await load(name, server, args, settings)
        overflows = backlogOverflows() - overflowsBefore
      } finally {
        if ('stop' in kernel) readable = kernel.stop()
        else unavailable = kernel.unavailable
      }
    } finally {
      await server.stop()
    }
    const { report, requests } = await analyse(scratch)
    const ports = fs.readFileSync(path.join(scratch, 'ports'), 'utf8').split('\n').map(Number)
    const measured = requests.filter(({ start_ns: ns }) => ns >= summary.clock.start_monotonic_ns)
    const samples = readSamples(samplesFile)
    return {
      server: name,
      shape: shape.join(' '),
      overflows,
      counts: {
        client: warmup.answered_total + summary.answered_total,
        recorded: report.requests.count,
        dropped: report.events.dropped,
        errors: summary.errors
      },
      lagged: summary.lag_flagged,
      ...compareAll(measured, ports, samples),
      ready: readable === undefined ? { unavailable } : compareReady(pair(measured, ports, samples), readable)
    }
  })
}

function compareAll (requests, ports, samples) {
  const pairs = pair(requests, ports, samples)
  return {
    measured: { client: samples.length, recorded: requests.length, paired: pairs.length },
    quantiles: compareQuantiles(samples.map(({ sentNs, endNs }) => endNs - sentNs), requests.map(({ latency_ns: ns }) => ns)),
    each: compareEach(pairs)
  }
}

function start (name, scratch, settings) {
  return startServer({
    script: path.resolve(settings.servers, SERVERS[name].script),
    args: ['--require', path.join(__dirname, 'ports.js'), '--require', path.join(ROOT, 'lib', 'register.js')],
    env: {
      EDGEWISE_OUT: path.join(scratch, 'trace'),
      PORTS_FILE: path.join(scratch, 'ports'),
      ...settings.causality ? { EDGEWISE_CAUSALITY: settings.causality } : {}
    },
    cpus: settings.serverCpus,
    cwd: scratch
  })
}

function closedLoop (name, server, seconds, settings) {
  const args = ['--closed', '--connections', String(WARMUP_CONNECTIONS), '--duration', String(seconds), ...mixOf(name)]
  return load(name, server, args, settings)
}

function load (name, server, args, settings) {
  const options = { cpus: settings.loadCpus, generator: settings.generator }
  return runLoad(`http://127.0.0.1:${server.port}${SERVERS[name].path}`, args, options)
}

function mixOf (name) {
  const { mix } = SERVERS[name]
  return mix === null ? [] : ['--mix', mix]
}

async function analyse (scratch) {
  const file = path.join(scratch, 'requests.jsonl')
  const command = [path.join(ROOT, 'bin', 'edgewise.js'), 'report', path.join(scratch, 'trace'), '--json', '--requests', file]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 28 })
    const requests = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line))
    return { report: JSON.parse(stdout), requests }
  } catch (error) {
    throw new TaskError(`edgewise report: ${error.stderr || error.message}`)
  }
}

// Connections that found a full backlog. The client's kernel tries again after
// a second: nothing that a server could see.
function backlogOverflows () {
  const lines = fs.readFileSync('/proc/net/netstat', 'utf8').split('\n').filter((line) => line.startsWith('TcpExt:'))
  const [names, values] = lines.map((line) => line.split(' '))
  return Number(values[names.indexOf('ListenOverflows')])
}

async function within (task) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-accuracy-'))
  try {
    return await task(scratch)
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

module.exports = { measure, saturation, SERVERS }
