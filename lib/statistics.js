'use strict'

// One thing against another, round by round. The run is the unit of inference:
// the two of one round ran right after each other, and each round is one number.

const RESAMPLES = 4000

/** @typedef {{ ratio: number, low: number, high: number, runs: number }} Ratio */

/**
 * @param {number[]} values of what is compared, by round; not below 0
 * @param {number[]} bases of what it is compared with, in the same rounds; above 0
 * @param {{ confidence?: number }} [options] confidence: of the interval, 0 to 1; default 0.95
 * @returns {Ratio} geometric mean of the rounds' ratios with its percentile bootstrap confidence interval
 * @throws {RangeError} when the two do not pair up
 */
function pairedRatio (values, bases, { confidence = 0.95 } = {}) {
  if (values.length !== bases.length || values.length === 0) {
    throw new RangeError(`${values.length} runs against ${bases.length}: each needs its own base`)
  }
  const logs = values.map((value, round) => Math.log(value / bases[round]))
  const random = generator(0x5eed)
  const means = Array.from({ length: RESAMPLES },
    () => mean(logs.map(() => logs[Math.floor(random() * logs.length)]))).sort(ascending)
  return {
    ratio: Math.exp(mean(logs)),
    low: Math.exp(quantile(means, (1 - confidence) / 2)),
    high: Math.exp(quantile(means, (1 + confidence) / 2)),
    runs: logs.length
  }
}

/** @param {number[]} values at least one */
function median (values) {
  const sorted = [...values].sort(ascending)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

function mean (/** @type {number[]} */ values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function quantile (/** @type {number[]} */ sorted, /** @type {number} */ share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

const ascending = (/** @type {number} */ a, /** @type {number} */ b) => a - b

// Mulberry32: the same numbers give the same interval.
function generator (/** @type {number} */ seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

module.exports = { median, pairedRatio }
