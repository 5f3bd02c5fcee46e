'use strict'

// Reports as JSON, for tests of their text.

const { render } = require('../../lib/report')

const FIXTURE = require('./fixtures/report.json')

/** @typedef {Record<string, any>} Json */

/** @param {Json} change @returns {Json} the fixture with other top-level keys */
const report = (change = {}) => ({ ...structuredClone(FIXTURE), ...change })

/** @param {Json} json */
const firstLine = (json) => render(json).split('\n')[0]

/**
 * @param {number} latency
 * @param {Json} [parts] in ns; native_ns fills what is left
 */
function group (latency, { io = 0, queue = 0, queueGc = 0, execGc = 0, ...more } = {}) {
  const exec = latency - io - queue
  return {
    count: 10,
    mean_latency_ns: latency,
    io_ns: io,
    queue_ns: queue,
    exec_ns: exec,
    exec: { gc_ns: execGc, jit_ns: null, ic_ns: null, native_ns: exec - execGc },
    queue: { gc_ns: queueGc, jit_ns: null, ic_ns: null, native_ns: queue - queueGc, loop_ns: 0 },
    ...more
  }
}

/**
 * @param {Json} tail
 * @param {Json} rest
 * @param {Json} [more]
 */
function minimal (tail, rest, more = {}) {
  return {
    schema: 1,
    requests: { count: 1000, lost: 0 },
    events: { count: 5000, dropped: 0 },
    latency_ns: { mean: 2e6, p50: rest.mean_latency_ns, p90: 3e6, p99: 1e7, 'p99.9': 2e7, max: 3e7 },
    tail: { percentile: 99, threshold_ns: 1e7, ...tail },
    rest,
    blockers: [],
    ready_kinds: {},
    ...more
  }
}

/** What a boosted thread leaves. */
const BOOST = {
  schema: 1,
  policy: 'gc,queue',
  actuator: 'emulated',
  description: 'steals',
  frequencies_khz: { low: 2_600_000, mid: 3_300_000, high: 4_000_000 },
  elapsed_ns: 10e9,
  residency_ns: { low: 9e9, mid: 0, high: 1e9 },
  boosts: 30,
  reasons: { gc: { boosts: 20, boosted_ns: 6e8 }, head: { boosts: 10, boosted_ns: 4e8 } },
  reaction_ns: { gc: { count: 20, p50: 400, p99: 900, max: 1000 }, head: { count: 10, p50: 20_000, p99: 40_000, max: 50_000 } },
  dropped_signals: 0,
  set_errors: 0,
  last_error: '',
  energy: { kind: 'modelled', normalised: 1.171, measured_uj: null, unavailable: 'no powercap' },
  gc_counters: { collections: 4, instructions: 3000, cycles: 2000, ipc: 1.5 }
}

module.exports = { BOOST, FIXTURE, firstLine, group, minimal, report }
