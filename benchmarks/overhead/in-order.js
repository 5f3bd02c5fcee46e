'use strict'

/**
 * The order of a round: another variant begins each time, and every second
 * round runs backwards (ABBA): what drifts slowly hits all alike.
 * @template T
 * @param {T[]} variants
 * @param {number} round
 * @returns {T[]}
 */
function inOrder (variants, round) {
  const from = Math.floor(round / 2) % variants.length
  const rotated = [...variants.slice(from), ...variants.slice(0, from)]
  return round % 2 === 0 ? rotated : rotated.reverse()
}

module.exports = { inOrder }
