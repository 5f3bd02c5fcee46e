'use strict'

// One run of one application: what the client saw, and, recorded, what edgewise
// made of the same requests.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
// @ts-ignore: the types are those of its ES module
const { mean, quantileSorted } = require('simple-statistics')
const edgewise = require('../../lib/index')
const { ROOT } = require('../../scripts/tasks/tree')
const { runApp } = require('../apps/run')
const { threadTimes, timesBetween } = require('../shared/thread-cpu')

/** `bare again` is `bare` measured once more (A/A), `recorded` with the defaults. */
const VARIANTS = ['bare', 'bare again', 'recorded']
/** At the light load; `without promises` is recorded with EDGEWISE_CAUSALITY=events. */
const LIGHT_VARIANTS = [...VARIANTS, 'without promises']
const REGISTER = path.join(ROOT, 'lib', 'register.js')
const PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 }
const MAX_BLOCKERS = 50
// Of the distribution that is drawn: fine where the tail is.
const SHARES = [...Array.from({ length: 100 }, (_, i) => i / 100), ...Array.from({ length: 100 }, (_, i) => 0.99 + i / 1e4)]

/**
 * @typedef {object} Cell
 * @property {number} requests measured by the client
 * @property {number} errors of all kinds
 * @property {boolean} lagged the load generator itself was late
 * @property {Latency} client from the actual send until its kernel had the response
 * @property {Latency} intended from the intended send
 * @property {{ mainUs: number, allUs: number, helpersUs: number }} cpu processor time a request, of the application's
 *   process (of a cluster, the primary): its main thread, all its threads, edgewise's threads of those
 * @property {number[]} cdf ns of the client's latencies, at SHARES
 * @property {Recorded} [recorded]
 */

/** @typedef {import('../apps/run').RunOptions['onServing']} Hook */
/** @typedef {{ mean: number, p50: number, p90: number, p99: number, p999: number }} Latency ns */

/**
 * @typedef {object} Recorded
 * @property {any} report of edgewise, without the warm-up (docs/report-json.md)
 * @property {Latency} latency of the requests that edgewise recorded
 * @property {Record<string, { requests: number, tail: number }>} shares by route: how many there were, and in the tail of all
 * @property {number} requests counted by edgewise, with the warm-up
 * @property {number} sent by the client, with the warm-up
 */

/**
 * @param {string} app
 * @param {string} variant one of LIGHT_VARIANTS
 * @param {{ ratePerS: number, seconds: number, warmup: number, percentile: number, seed: number, workers: number, signal: AbortSignal }} settings
 * @param {{ nodeArgs?: string[], env?: Record<string, string>, cpus?: string, onServing?: Hook, onLoaded?: Hook, keep?: string }} [change] of how
 *   the application is started; hooks as runApp() has them; keep: the trace's directory, which stays
 * @returns {Promise<Cell>}
 */
async function measure (app, variant, { ratePerS, seconds, warmup, percentile, seed, workers, signal }, { nodeArgs = [], env = {}, cpus, onServing, onLoaded, keep } = {}) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-results-'))
  try {
    const samples = path.join(scratch, 'samples.csv')
    const trace = keep ?? path.join(scratch, 'trace')
    const recorded = !variant.startsWith('bare')
    /** @type {Record<string, string>} */
    const causality = variant === 'without promises' ? { EDGEWISE_CAUSALITY: 'events' } : {}
    /** @type {{ serving: import('../shared/thread-cpu').ThreadTime[], loaded: import('../shared/thread-cpu').ThreadTime[] }} */
    const threads = { serving: [], loaded: [] }
    const { load } = await runApp(app, {
      rate: ratePerS,
      durationS: seconds,
      warmupS: warmup,
      seed,
      workers,
      samples,
      stamps: true,
      nodeArgs: recorded ? [...nodeArgs, '--require', REGISTER] : nodeArgs,
      env: recorded ? { ...env, ...causality, EDGEWISE_OUT: trace } : env,
      cpus,
      onServing: async (running) => {
        await onServing?.(running)
        threads.serving = threadTimes(running.pid)
      },
      onLoaded: async (running) => {
        threads.loaded = threadTimes(running.pid)
        await onLoaded?.(running)
      },
      say: () => {},
      signal
    })
    const client = clientOf(readSamples(samples))
    return {
      requests: client.latencies.length,
      errors: load.errors + load.non_2xx + load.unexpected,
      lagged: load.lag_flagged,
      client: latencyOf(client.latencies),
      intended: latencyOf(client.intended),
      cpu: cpuOf(timesBetween(threads.serving, threads.loaded), load.sent_total),
      cdf: SHARES.map((share) => quantileSorted(client.latencies, share)),
      ...recorded ? { recorded: explain(trace, scratch, { percentile, warmup, sent: load.sent_total, fromNs: client.fromNs }) } : {}
    }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

function cpuOf ({ mainNs, otherNs, helpersNs }, requests) {
  const us = (ns) => ns / requests / 1e3
  const helpers = Object.values(helpersNs).reduce((sum, ns) => sum + ns, 0)
  return { mainUs: us(mainNs), allUs: us(mainNs + otherNs), helpersUs: us(helpers) }
}

/** @typedef {{ intendedNs: number, sentNs: number, endNs: number }} Sample one request, CLOCK_MONOTONIC */

/**
 * @param {string} file of edgewise-load --samples
 * @returns {Sample[]} the requests of the measured time that were answered
 */
function readSamples (file) {
  const [head, ...lines] = fs.readFileSync(file, 'utf8').trimEnd().split('\n')
  const columns = head.split(',')
  const at = Object.fromEntries(columns.map((name, i) => [name, i]))
  return lines.map((line) => line.split(',')).filter((row) => row[at.phase] === 'measured' && row[at.status] !== '0').map((row) =>
    ({ intendedNs: Number(row[at.intended_ns]), sentNs: Number(row[at.sent_ns]), endNs: Number(row[at.end_ns]) }))
}

/** @param {Sample[]} samples */
function clientOf (samples) {
  return {
    latencies: samples.map(({ sentNs, endNs }) => endNs - sentNs).sort(ascending),
    intended: samples.map(({ intendedNs, endNs }) => endNs - intendedNs).sort(ascending),
    fromNs: samples.reduce((least, { sentNs }) => Math.min(least, sentNs), Infinity)
  }
}

// The report leaves out as many seconds as the client's warm-up; the
// distributions that are compared are of the very same requests: those that
// came after the client's first measured one.
function explain (trace, scratch, { percentile, warmup, sent, fromNs }) {
  const requestsPath = path.join(scratch, 'requests.jsonl')
  const all = edgewise.report(trace, { percentile, requestsPath })
  const requests = fs.readFileSync(requestsPath, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line))
    .filter((request) => request.start_ns >= fromNs)
  const latencies = requests.map((request) => request.latency_ns).sort(ascending)
  const shares = sharesOf(requests, quantileSorted(latencies, percentile / 100))
  const report = edgewise.report(trace, { percentile, skip: warmup })
  return { report: slim(report), latency: latencyOf(latencies), shares, requests: all.requests.count, sent }
}

function sharesOf (requests, thresholdNs) {
  /** @type {Recorded['shares']} */
  const shares = {}
  for (const { route, latency_ns: ns } of requests) {
    shares[route] ??= { requests: 0, tail: 0 }
    shares[route].requests++
    if (ns >= thresholdNs) shares[route].tail++
  }
  return shares
}

// What the page needs: a report with its critical paths is a hundred times that.
function slim (/** @type {Record<string, any>} */ { requests, events, latency_ns: latency, tail, rest, routes, blockers, gc }) {
  return { requests, events, latency_ns: latency, tail, rest, routes, blockers: blockers.slice(0, MAX_BLOCKERS), gc }
}

/** @param {number[]} sorted ascending, ns @returns {Latency} */
function latencyOf (sorted) {
  return /** @type {any} */ ({
    mean: mean(sorted),
    ...Object.fromEntries(Object.entries(PERCENTILES).map(([name, share]) => [name, quantileSorted(sorted, share)]))
  })
}

const ascending = (a, b) => a - b

module.exports = { LIGHT_VARIANTS, SHARES, VARIANTS, clientOf, latencyOf, measure, readSamples }
