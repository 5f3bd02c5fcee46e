'use strict'

// How far predictions are off from what came.

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
function median (values) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted.length % 2 ? sorted[sorted.length >> 1] : (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2
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

module.exports = { PERCENTILES, judge, rootMeanSquare, summary }
