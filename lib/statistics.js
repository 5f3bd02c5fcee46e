'use strict'

// One thing against another, round by round. The run is the unit of inference:
// each round, in which both ran, is one number.

// @ts-ignore: it has no types
const { studentt } = require('jstat')

/** @typedef {{ ratio: number, low: number, high: number, runs: number }} Ratio */

/**
 * Of so few rounds as a benchmark can have, resampling tells no more than the
 * extremes: the interval is Student's, for the mean of the ratios' logarithms.
 *
 * @param {number[]} values of what is compared, by round; not below 0
 * @param {number[]} bases of what it is compared with, in the same rounds; above 0
 * @param {{ confidence?: number }} [options] confidence: of the interval, 0 to 1; default 0.95
 * @returns {Ratio} geometric mean of the rounds' ratios;
 *   of one round, or with a value of 0, low and high are 0 and Infinity
 * @throws {RangeError} when the two do not pair up
 */
function pairedRatio (values, bases, { confidence = 0.95 } = {}) {
  if (values.length !== bases.length || values.length === 0) {
    throw new RangeError(`${values.length} runs against ${bases.length}: each needs its own base`)
  }
  const logs = values.map((value, round) => Math.log(value / bases[round]))
  const center = mean(logs)
  if (!Number.isFinite(center) || logs.length === 1) return { ratio: Math.exp(center), low: 0, high: Infinity, runs: logs.length }
  const reach = reachOf(squareOfError(logs), logs.length - 1, confidence)
  return { ratio: Math.exp(center), low: Math.exp(center - reach), high: Math.exp(center + reach), runs: logs.length }
}

/**
 * The mean of several ratios, each of rounds of its own: their errors are
 * independent, and Welch's degrees of freedom count the rounds of all.
 *
 * @param {number[][]} groups of ratios by round, above 0
 * @returns {Ratio} the arithmetic mean of the groups' geometric means with its 95 % interval; `runs` of the shortest group
 */
function meanOfRatios (groups) {
  const logs = groups.map((group) => group.map(Math.log))
  const ratios = logs.map((group) => Math.exp(mean(group)))
  const ratio = mean(ratios)
  // A group's relative error is the error of its logarithm.
  const squares = logs.map((group, i) => (ratios[i] / groups.length) ** 2 * squareOfError(group))
  const square = squares.reduce((sum, one) => sum + one, 0)
  const freedom = square ** 2 / squares.reduce((sum, one, i) => sum + one ** 2 / (groups[i].length - 1), 0)
  const runs = Math.min(...groups.map(({ length }) => length))
  if (runs === 1) return { ratio, low: 0, high: Infinity, runs }
  const reach = square > 0 ? reachOf(square, freedom, 0.95) : 0
  return { ratio, low: Math.max(ratio - reach, 0), high: ratio + reach, runs }
}

/**
 * @param {number[]} values of what is compared, by round
 * @param {number[]} bases of what it is compared with, in the same rounds; at least two
 * @returns {{ difference: number, low: number, high: number }} mean of the rounds' differences, with Student's 95 % interval
 */
function pairedDifference (values, bases) {
  const differences = values.map((value, round) => value - bases[round])
  const difference = mean(differences)
  const reach = reachOf(squareOfError(differences), differences.length - 1, 0.95)
  return { difference, low: difference - reach, high: difference + reach }
}

/** @param {number[]} values at least one */
function median (values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

function mean (/** @type {number[]} */ values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** @returns {number} of the mean of at least two */
function squareOfError (/** @type {number[]} */ values) {
  const center = mean(values)
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1) / values.length
}

function reachOf (/** @type {number} */ square, /** @type {number} */ freedom, /** @type {number} */ confidence) {
  return studentt.inv((1 + confidence) / 2, freedom) * Math.sqrt(square)
}

module.exports = { meanOfRatios, median, pairedDifference, pairedRatio }
