'use strict'

// What the runs say: which flags are better than V8's own, and when enough is
// known. Nothing here measures.

const { median, pairedRatio } = require('../statistics')

/**
 * @typedef {object} Run one server under one load
 * @property {number} round
 * @property {Record<'p50' | 'p99' | 'p99.9', number>} latencyNs
 * @property {number} requestsPerS
 * @property {number} requests that the latencies are of
 * @property {number | null} gcMsPerS collections of all threads, in a second of recording
 * @property {number | null} tailGcNs in the latency of a request of the tail, mean
 * @property {number | null} tailOffShare of that latency, for which its thread was not given a processor, or slept in the kernel
 * @property {number} memoryBytes peak of the resident memory, all processes
 * @property {boolean} lossy records were lost: the numbers are of what was kept
 */

/**
 * @typedef {object} Candidate
 * @property {'default' | 'again' | 'tried'} role `again` is `default` measured once more (A/A)
 * @property {import('./candidates').Sizes} sizes
 * @property {Run[]} runs
 * @property {string | null} failed why it is not measured any more
 * @property {boolean} left out of the second stage: others seemed better
 */

/** @typedef {import('../statistics').Ratio} Ratio */
/** @typedef {'better' | 'worse' | 'no better' | 'open' | 'left out' | 'failed'} Verdict */
/** @typedef {{ name: string, of: (run: Run) => number, lowerIsBetter: boolean }} Objective */

/** @type {Record<string, Objective>} */
const OBJECTIVES = {
  'p99.9': { name: 'p99.9', of: (run) => run.latencyNs['p99.9'], lowerIsBetter: true },
  p99: { name: 'p99', of: (run) => run.latencyNs.p99, lowerIsBetter: true },
  throughput: { name: 'requests/s', of: (run) => run.requestsPerS, lowerIsBetter: false }
}

const CONFIDENCE = 0.95
// Fewer rounds that all lie on one side are too likely by chance (1 in 2^6).
const ROUNDS_TO_CHOOSE = 6
// To leave one out is no promise: it may be done on less.
const ROUNDS_TO_DROP = 3
// What cannot be better by this share is not looked for any longer.
const LEAST_GAIN = 0.05

/**
 * Against the mean of the two runs of the defaults that enclose it in its round.
 *
 * @param {Candidate} candidate
 * @param {Candidate[]} all
 * @param {Objective} objective
 * @returns {Ratio | null} its interval holds for all candidates together; null: nothing to compare
 */
function againstDefaults (candidate, all, objective) {
  if (candidate.role === 'default') return null
  const bases = all.filter(({ role }) => candidate.role === 'again' ? role === 'default' : role !== 'tried')
  const pairs = candidate.runs.flatMap((run) => {
    const logs = bases.flatMap(({ runs }) => runs.filter(({ round }) => round === run.round)).map((base) => Math.log(objective.of(base)))
    return logs.length === 0 ? [] : [{ value: objective.of(run), base: Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length) }]
  })
  if (pairs.length === 0) return null
  // Bonferroni: among many that differ by chance, one would seem to win.
  const tries = candidate.role === 'again' ? 1 : all.filter(({ role }) => role === 'tried').length
  return pairedRatio(pairs.map(({ value }) => value), pairs.map(({ base }) => base), { confidence: 1 - (1 - CONFIDENCE) / tries })
}

/**
 * @param {Candidate} candidate one that is tried
 * @param {Candidate[]} all
 * @param {Objective} objective
 * @returns {Verdict}
 */
function judge (candidate, all, objective) {
  if (candidate.failed) return 'failed'
  const cost = costOf(candidate, all, objective)
  if (!cost || cost.runs < ROUNDS_TO_DROP) return 'open'
  if (cost.low > 1) return 'worse'
  if (cost.low > 1 - LEAST_GAIN) return 'no better'
  if (candidate.left) return 'left out'
  const again = all.find(({ role }) => role === 'again')
  const noise = again && costOf(again, all, objective)
  if (!noise || cost.runs < ROUNDS_TO_CHOOSE) return 'open'
  return cost.high < 1 && cost.ratio < Math.min(noise.low, 1 / noise.high) ? 'better' : 'open'
}

/**
 * @param {Candidate[]} all
 * @param {Objective} objective
 * @returns {Candidate[]} those that may be better than the defaults, the one that seems best first
 */
function inQuestion (all, objective) {
  return all.filter((candidate) => candidate.role === 'tried' && ['open', 'better'].includes(judge(candidate, all, objective)))
    .map((candidate) => ({ candidate, cost: costOf(candidate, all, objective)?.ratio ?? Infinity }))
    .sort((a, b) => a.cost - b.cost).map(({ candidate }) => candidate)
}

/**
 * @param {Candidate[]} all
 * @param {Objective} objective
 * @returns {boolean} whether more rounds cannot change the recommendation
 */
function isDecided (all, objective) {
  const [first] = inQuestion(all, objective)
  return first === undefined || judge(first, all, objective) === 'better'
}

/**
 * @param {Candidate[]} all
 * @param {Objective} objective
 * @returns {{ use: Candidate | null, promising: Candidate | null }} `use` null: keep the defaults;
 *   `promising`: it seems better, and nobody knows
 */
function recommend (all, objective) {
  const [first, ...others] = inQuestion(all, objective)
  const isSure = (/** @type {Candidate} */ candidate) => judge(candidate, all, objective) === 'better'
  if (!first || isSure(first)) return { use: first ?? null, promising: null }
  // One that is surely better is worth more than another that perhaps is.
  return { use: others.find(isSure) ?? null, promising: Number(costOf(first, all, objective)?.ratio) < 1 ? first : null }
}

/**
 * @param {Candidate} candidate
 * @param {Candidate[]} all
 * @param {Objective} objective
 * @returns {Ratio | null} below 1 is better, whatever the objective
 */
function costOf (candidate, all, objective) {
  const ratio = againstDefaults(candidate, all, objective)
  if (!ratio || objective.lowerIsBetter) return ratio
  return { ratio: 1 / ratio.ratio, low: 1 / ratio.high, high: 1 / ratio.low, runs: ratio.runs }
}

/**
 * @param {Candidate} candidate
 * @param {Candidate[]} all
 * @returns {number} bytes more than the defaults took in the same rounds, medians
 */
function moreMemory (candidate, all) {
  const rounds = candidate.runs.map(({ round }) => round)
  const base = all.filter(({ role }) => role !== 'tried').flatMap(({ runs }) => runs).filter(({ round }) => rounds.includes(round))
  return median(candidate.runs.map((run) => run.memoryBytes)) - median(base.map((run) => run.memoryBytes))
}

module.exports = { OBJECTIVES, againstDefaults, costOf, inQuestion, isDecided, judge, moreMemory, recommend }
