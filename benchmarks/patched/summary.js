'use strict'

// From the cells of all rounds to one row a workload or server.

// @ts-ignore: the types are those of its ES module
const { geometricMean } = require('simple-statistics')
const { median, pairedRatio } = require('../../lib/statistics')

/** @typedef {import('../overhead/summary').Ratio} Ratio */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number} processes of each variant
 * @property {number} base the unpatched Node's value, median
 * @property {Ratio} aa the unpatched Node again, against itself
 * @property {Ratio} off patched, tracking never on, against unpatched
 * @property {Ratio} on against off in the same process
 */

/**
 * @typedef {object} Cell one process
 * @property {string} name of the workload or server
 * @property {string} variant
 * @property {number} round
 * @property {any} first
 * @property {any[]} off
 * @property {any[]} on
 */

/**
 * @param {Cell[]} cells
 * @param {(block: any) => number} of what of a block is compared
 * @returns {Row[]} in order of first appearance
 */
function summarize (cells, of) {
  return [...new Set(cells.map(({ name }) => name))].flatMap((name) => {
    const mine = cells.filter((cell) => cell.name === name)
    const find = (variant, round) => mine.find((cell) => cell.variant === variant && cell.round === round)
    const rounds = [...new Set(mine.map(({ round }) => round))].filter((round) =>
      ['unpatched', 'patched', 'aa'].every((variant) => find(variant, round)))
    if (rounds.length === 0) return []
    const first = (variant) => rounds.map((round) => of(find(variant, round)?.first))
    const turns = (state) => rounds.map((round) => geometricMean(/** @type {any} */ (find('patched', round))[state].map(of)))
    return [{
      name,
      processes: rounds.length,
      base: median(first('unpatched')),
      aa: pairedRatio(first('aa'), first('unpatched')),
      off: pairedRatio(first('patched'), first('unpatched')),
      on: pairedRatio(turns('on'), turns('off'))
    }]
  })
}

module.exports = { summarize }
