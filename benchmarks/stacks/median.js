'use strict'

const { median } = require('../../lib/statistics')

/** @typedef {{ value: number, low: number | null, high: number | null }} Estimate low, high: its 95 % interval, null where there are too few */

/**
 * The median, and between which two of the values it lies: whatever they are
 * distributed like, a value is below it as often as a coin falls on one side.
 * @param {number[]} values at least one
 * @returns {Estimate}
 */
function medianOf (values) {
  const sorted = [...values].sort((a, b) => a - b)
  const count = sorted.length
  let [chance, below, outside] = [0.5 ** count, 0, 0]
  // `outside`: so many are left out at each end.
  while (below + chance <= 0.025) {
    below += chance
    outside++
    chance *= (count - outside + 1) / outside
  }
  return outside > 0
    ? { value: median(values), low: sorted[outside - 1], high: sorted[count - outside] }
    : { value: median(values), low: null, high: null }
}

module.exports = { medianOf }
