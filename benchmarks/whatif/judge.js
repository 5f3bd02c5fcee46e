'use strict'

// How far predictions are off from what came.

const { median } = require('../../lib/statistics')

const PERCENTILES = ['p50', 'p90', 'p99', 'p99.9']

/**
 * @typedef {object} Judged
 * @property {string} cell
 * @property {string} percentile
 * @property {number} before ns, recorded
 * @property {number} came ns
 * @property {number} predicted ns
 * @property {number} low
 * @property {number} high
 * @property {number} path ns, by the critical path only
 */

/** @param {number[]} values @param {string} percentile */
function percentileOf (values, percentile) {
  const sorted = [...values].sort((one, other) => one - other)
  const rank = Math.ceil(Number(percentile.slice(1)) / 100 * sorted.length)
  return sorted[Math.max(0, rank - 1)]
}

/**
 * @param {string} cell
 * @param {{ scenario: any, fit: any, came: any, requests: any[], path: import('./cells').Cell['path'] }} found scenario: what was predicted of `fit`, null where nothing is changed; came: the fit of what came
 * @returns {Judged[]}
 */
function judge (cell, { scenario, fit, came, requests, path }) {
  const byPath = requests.map(path)
  return PERCENTILES.flatMap((percentile) => {
    const before = fit.routes[0].percentiles[percentile]?.recorded_ns
    const after = came.routes[0].percentiles[percentile]?.recorded_ns
    const estimate = scenario ? scenario.routes[0].percentiles[percentile]?.after_ns : [before, NaN, NaN]
    if (before === undefined || after === undefined || !estimate) return []
    const [predicted, low, high] = estimate
    return [{ cell, percentile, before, came: after, predicted, low, high, path: percentileOf(byPath, percentile) }]
  })
}

/** @param {number[]} values */
const rootMeanSquare = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)

/**
 * @param {Judged[]} judged of one percentile
 * @returns {{ count: number, median: number, rms: number, path: number, inside: number | null }} shares; inside: of the intervals, those that hold what came
 */
function summary (judged) {
  const errors = judged.map(({ predicted, came }) => predicted / came - 1)
  const paths = judged.map(({ path, came }) => path / came - 1)
  const withIntervals = judged.filter(({ low }) => Number.isFinite(low))
  const inside = withIntervals.filter(({ low, high, came }) => came >= low && came <= high).length
  return {
    count: judged.length,
    median: median(errors.map(Math.abs)),
    rms: rootMeanSquare(errors),
    path: median(paths.map(Math.abs)),
    inside: withIntervals.length > 0 ? inside / withIntervals.length : null
  }
}

/**
 * Whether the change that was predicted to be the best was it, and how alike the orders are.
 * @param {Judged[][]} runs of one percentile: the changes of a run
 * @returns {{ runs: number, best: number, correlation: number }} best: runs in which it was; correlation: Spearman's, the mean
 */
function orders (runs) {
  const compared = runs.map((judged) => judged.filter(({ low }) => Number.isFinite(low))).filter((judged) => judged.length > 1)
  const least = (/** @type {number[]} */ values) => values.indexOf(Math.min(...values))
  const best = compared.filter((judged) => least(judged.map(({ predicted }) => predicted)) === least(judged.map(({ came }) => came))).length
  const correlations = compared.map((judged) => spearman(judged.map(({ predicted }) => predicted), judged.map(({ came }) => came)))
  return { runs: compared.length, best, correlation: correlations.reduce((sum, each) => sum + each, 0) / correlations.length }
}

/** @param {number[]} ones @param {number[]} others */
function spearman (ones, others) {
  const ranks = (/** @type {number[]} */ values) => values.map((value) => values.filter((other) => other < value).length)
  const [a, b] = [ranks(ones), ranks(others)]
  const squares = a.reduce((sum, rank, i) => sum + (rank - b[i]) ** 2, 0)
  return 1 - 6 * squares / (a.length * (a.length ** 2 - 1))
}

module.exports = { PERCENTILES, judge, orders, rootMeanSquare, summary }
