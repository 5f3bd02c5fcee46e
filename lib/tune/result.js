'use strict'

// The runs of a sweep as the object of docs/tune.md.

const { median } = require('../statistics')
const { flagsOf, labelOf } = require('./candidates')
const { againstDefaults, judge, moreMemory, recommend } = require('./choose')

/** @typedef {import('./choose').Candidate} Candidate */
/** @typedef {import('./choose').Run} Run */
/** @typedef {import('./sweep').Sweep} Sweep */

/**
 * @param {Sweep} sweep
 * @param {{ command: string[], inserts: boolean, objective: string, percentile: number, skipS: number | null, ended: string }} facts
 *   inserts: flags stand in the command; else in NODE_OPTIONS
 * @returns {Record<string, any>} without the recommendation's text
 */
function resultOf (sweep, { command, inserts, objective, percentile, skipS, ended }) {
  const { candidates: all, runs, round } = sweep
  const { use, promising } = recommend(all, sweep.objective)
  return {
    schema: 1,
    command,
    objective,
    percentile,
    skip_s: skipS,
    rounds: round,
    runs,
    ended,
    candidates: all.map((one) => entryOf(one, sweep)),
    recommendation: {
      flags: use ? flagsOf(use.sizes) : [],
      where: inserts ? 'command' : 'NODE_OPTIONS',
      label: use ? labelOf(use.sizes) : null,
      more_memory_bytes: use ? moreMemory(use, all) : null,
      promising: promising ? labelOf(promising.sizes) : null
    }
  }
}

/** @param {Candidate} one @param {Sweep} sweep */
function entryOf (one, { candidates: all, objective }) {
  const middle = (/** @type {(run: Run) => number | null} */ of) => {
    const known = one.runs.map(of).filter((value) => value !== null)
    return known.length > 0 ? median(/** @type {number[]} */ (known)) : null
  }
  return {
    label: one.role === 'again' ? 'defaults, again' : labelOf(one.sizes),
    role: one.role,
    flags: flagsOf(one.sizes),
    verdict: one.role === 'tried' ? judge(one, all, objective) : null,
    failed: one.failed,
    latency_ns: { p50: middle((run) => run.latencyNs.p50), p99: middle((run) => run.latencyNs.p99), 'p99.9': middle((run) => run.latencyNs['p99.9']) },
    requests_per_s: middle((run) => run.requestsPerS),
    gc_ms_per_s: middle((run) => run.gcMsPerS),
    tail_gc_ns: middle((run) => run.tailGcNs),
    tail_not_running: middle((run) => run.tailOffShare),
    memory_bytes: middle((run) => run.memoryBytes),
    ratio: againstDefaults(one, all, objective),
    runs: one.runs.map((run) => ({
      round: run.round,
      latency_ns: run.latencyNs,
      requests: run.requests,
      requests_per_s: run.requestsPerS,
      gc_ms_per_s: run.gcMsPerS,
      tail_gc_ns: run.tailGcNs,
      tail_not_running: run.tailOffShare,
      memory_bytes: run.memoryBytes,
      lossy: run.lossy
    }))
  }
}

module.exports = { resultOf }
