'use strict'

// Variant against off, round by round. The run is the unit of inference: the
// two of one round ran right after each other, and each round is one number.

// @ts-ignore: the types are those of its ES module
const { geometricMean, median, quantile, sampleWithReplacement } = require('simple-statistics')

const RESAMPLES = 4000
const CONFIDENCE = 0.95

/**
 * @param {number[]} values of the variant, by round
 * @param {number[]} bases of off, in the same rounds
 * @returns {{ ratio: number, low: number, high: number, runs: number }} geometric mean of the rounds'
 *   ratios with its percentile bootstrap confidence interval (95 %)
 * @throws {RangeError} when the two do not pair up
 */
function pairedRatio (values, bases) {
  if (values.length !== bases.length || values.length === 0) {
    throw new RangeError(`${values.length} runs against ${bases.length}: each needs its own base`)
  }
  const ratios = values.map((value, round) => value / bases[round])
  const random = generator(0x5eed)
  const means = Array.from({ length: RESAMPLES },
    () => geometricMean(sampleWithReplacement(ratios, ratios.length, random)))
  return {
    ratio: geometricMean(ratios),
    low: quantile(means, (1 - CONFIDENCE) / 2),
    high: quantile(means, (1 + CONFIDENCE) / 2),
    runs: ratios.length
  }
}

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

module.exports = { pairedRatio, median }
