'use strict'

// One cell of a round: one fresh server process, once saturated, once at a
// fixed rate.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { runLoad } = require('../shared/load')
const { startServer } = require('../shared/server-process')
const { threadTimes, timesBetween } = require('../shared/thread-cpu')

/**
 * @typedef {object} Settings
 * @property {string} serverCpus
 * @property {string} helperCpus of its threads but the main one
 * @property {string} loadCpus
 * @property {string} [generator]
 * @property {number} connections of the closed loop
 * @property {number} seconds of each of the two measurements
 * @property {number} warmup seconds at saturation, not counted
 * @property {string} servers where they are installed
 * @property {boolean} [realTime] whether the tails of pairs are measured in real time (real-time.js)
 */

/**
 * @typedef {object} Window what one measurement saw
 * @property {number} requests answered
 * @property {number} errors
 * @property {number} ratePerS
 * @property {number} mainUs processor time of the main thread per request
 * @property {number} allUs processor time of all threads per request
 * @property {Record<string, number>} helpersPercent of one core, by thread
 * @property {{ p50: number, p99: number, p999: number }} latencyUs from the intended send time
 * @property {boolean} lagged the load generator itself was late
 */

// Of the open loop: without a limit a pause of the machine opens thousands, and
// what is measured from then on is the kernel's accept path.
const OPEN_CONNECTIONS = 128
const OPEN_WARMUP_S = 1
/** The open loop's rate, of what is answered at saturation. */
const LOAD_SHARE = 0.6

const SERVERS = {
  hello: { script: 'hello.js', path: '/' },
  express: { script: 'express.js', path: '/users/7' },
  fastify: { script: 'fastify.js', path: '/users/7' }
}

/**
 * @param {keyof SERVERS} server
 * @param {import('./variants').Variant} variant
 * @param {number} ratePerS of the open loop; 0: no open loop
 * @param {Settings} settings
 * @returns {Promise<{ saturated: Window, open: Window | null, said: string }>} said: what the server wrote to stderr
 */
async function measureCell (server, variant, ratePerS, settings) {
  return withServer(server, variant.start, settings, async (running, url) => ({
    ...await measure(running, url, ratePerS, settings),
    said: await running.stop()
  }))
}

/**
 * @template T
 * @param {keyof SERVERS} server
 * @param {import('./variants').Variant['start']} start how it is started
 * @param {Settings} settings
 * @param {(running: import('../shared/server-process').RunningServer, url: string) => Promise<T>} task while a fresh process serves
 * @returns {Promise<T>}
 */
async function withServer (server, start, settings, task) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-overhead-'))
  try {
    const running = await startServer({
      script: path.join(settings.servers, SERVERS[server].script),
      ...start({ servers: settings.servers, scratch }),
      cpus: settings.serverCpus,
      helperCpus: settings.helperCpus,
      cwd: scratch
    })
    try {
      return await task(running, `http://127.0.0.1:${running.port}${SERVERS[server].path}`)
    } finally {
      await running.stop()
    }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
    execFileSync('sync') // What this variant wrote is not to be written while the next one is measured.
  }
}

async function measure (running, url, ratePerS, settings) {
  const { seconds, warmup } = settings
  await saturate(running.pid, url, warmup, settings)
  const saturated = await saturate(running.pid, url, seconds, settings)
  const open = ratePerS > 0
    ? await loadAt(running.pid, url, ratePerS, seconds, settings)
    : null
  return { saturated, open }
}

/** @returns {Promise<Window>} of a closed loop */
function saturate (pid, url, seconds, settings) {
  return watch(pid, url, ['--spin', '--closed', '--connections', String(settings.connections), '--duration', String(seconds)], settings)
}

// Without a warm-up the slowest requests are those that had to wait until the
// connections were open.
/** @returns {Promise<Window>} of an open loop */
function loadAt (pid, url, ratePerS, seconds, settings) {
  return watch(pid, url, ['--spin', ...openLoop(ratePerS, seconds, 1)], settings)
}

/**
 * @param {number} ratePerS of all servers together
 * @param {number} seconds
 * @param {number} servers how many the generator loads
 * @returns {string[]} its arguments
 */
function openLoop (ratePerS, seconds, servers) {
  return ['--rate', ratePerS.toFixed(1), '--connections', String(servers * OPEN_CONNECTIONS), '--warmup', String(OPEN_WARMUP_S), '--duration', String(seconds)]
}

// A generator that polls (--spin): a response whose client sleeps costs the
// server's thread an interrupt to the other processor: how often is chance, and
// remote clients never do.
/** @returns {Promise<Window>} */
async function watch (pid, url, args, settings) {
  const before = threadTimes(pid)
  const began = process.hrtime.bigint()
  const summary = await runLoad(url, args, { cpus: settings.loadCpus, generator: settings.generator })
  const wallNs = Number(process.hrtime.bigint() - began)
  const { mainNs, otherNs, helpersNs } = timesBetween(before, threadTimes(pid))
  const requests = summary.answered_total
  return {
    requests,
    errors: summary.errors + summary.non_2xx,
    ratePerS: summary.achieved_rate_per_s,
    mainUs: mainNs / requests / 1e3,
    allUs: (mainNs + otherNs) / requests / 1e3,
    helpersPercent: Object.fromEntries(Object.entries(helpersNs).map(([name, ns]) => [name, 100 * ns / wallNs])),
    latencyUs: latencyUs(summary.latency_ns.intended),
    lagged: summary.lag_flagged
  }
}

/** @param {Record<string, number>} latencyNs of a summary of edgewise-load */
function latencyUs (latencyNs) {
  return { p50: latencyNs.p50 / 1e3, p99: latencyNs.p99 / 1e3, p999: latencyNs['p99.9'] / 1e3 }
}

module.exports = { latencyUs, measureCell, openLoop, saturate, withServer, LOAD_SHARE, OPEN_CONNECTIONS, OPEN_WARMUP_S, SERVERS }
