'use strict'

// Which flags are tried: sizes of V8's two generations, first far apart, then
// closer around what was best. All sizes are MiB, as V8's flags take them.

/**
 * @typedef {object} Sizes none: V8's own
 * @property {number} [young] of a semi-space: a power of two, as V8 rounds up to one
 * @property {boolean} [grows] up to `young` as V8 sees fit; else it has that size from the start
 * @property {number} [old] limit of the old generation
 */

/**
 * @typedef {object} Grid
 * @property {number[]} young
 * @property {number[]} old
 * @property {boolean} fixable whether --min-semi-space-size can be given
 */

const YOUNG = [1, 4, 16, 64]

/** @param {Sizes} sizes @returns {string[]} */
function flagsOf ({ young, grows, old }) {
  return [
    ...young ? [`--max-semi-space-size=${young}`] : [],
    ...young && !grows ? [`--min-semi-space-size=${young}`] : [],
    ...old ? [`--max-old-space-size=${old}`] : []
  ]
}

/** @param {Sizes} sizes @returns {string} short, for tables */
function labelOf ({ young, grows, old }) {
  return [
    ...young ? [grows ? `young ≤${young}` : `young ${young}`] : [],
    ...old ? [`old ${old}`] : []
  ].join(', ') || 'defaults'
}

/** @param {Grid} grid @returns {Sizes[]} one generation at a time */
function coarse ({ young, old, fixable }) {
  return [...ascending(young).map((size) => ({ young: size, ...fixable ? {} : { grows: true } })), ...ascending(old).map((size) => ({ old: size }))]
}

/**
 * @param {Sizes} best of the coarse ones with a young size
 * @param {Sizes | null} old the best of those with an old size, if it is worth a try together
 * @param {Grid} grid
 * @returns {Sizes[]} what to try beside `best`
 */
function fine (best, old, { young, fixable }) {
  const size = /** @type {number} */ (best.young)
  const sizes = ascending(young)
  const at = sizes.indexOf(size)
  const beside = [between(sizes[at - 1] ?? size / 4, size), between(size, sizes[at + 1] ?? size * 4)]
  return [
    ...beside.filter((other) => other >= 1 && !sizes.includes(other)).map((other) => ({ ...best, young: other })),
    ...fixable ? [{ young: size, grows: true }] : [],
    ...old ? [{ ...best, old: old.old }] : []
  ]
}

// The power of two in the middle; the end of the list is where nobody has looked yet.
function between (/** @type {number} */ low, /** @type {number} */ high) {
  return 2 ** Math.round((Math.log2(low) + Math.log2(high)) / 2)
}

/**
 * @param {number} limitMb V8's own of the old generation
 * @param {number} memoryMb of the machine, or of the control group
 * @returns {number[]} half and twice the limit, as far as the memory allows
 */
function usualOld (limitMb, memoryMb) {
  const limit = 2 ** Math.round(Math.log2(limitMb))
  return [limit / 2, limit * 2].filter((size) => size <= memoryMb)
}

/** @param {number[]} sizes @returns {number[]} without repetitions */
function ascending (sizes) {
  return [...new Set(sizes)].sort((a, b) => a - b)
}

module.exports = { YOUNG, coarse, fine, flagsOf, labelOf, usualOld }
