'use strict'

// From the cells of all rounds to one row a workload or server.

// @ts-ignore: the types are those of its ES module
const { geometricMean } = require('simple-statistics')
const { median, pairedRatio } = require('../../lib/statistics')

/** @typedef {import('../overhead/summary').Ratio} Ratio */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number} processes of each variant; of a server, pairs of each kind
 * @property {number} base the unpatched Node's value, median
 * @property {Ratio} aa the unpatched Node again, against itself
 * @property {Ratio} off patched, tracking never on, against unpatched
 * @property {Ratio} on against off in the same process
 */

/**
 * @typedef {object} Cell one process
 * @property {string} name of the workload
 * @property {string} variant
 * @property {number} round
 * @property {number} first ns an operation, before tracking was ever on
 * @property {number[]} off by block
 * @property {number[]} on likewise
 */

/**
 * @typedef {object} PairCell two processes at once
 * @property {string} name of the server
 * @property {string} variant which pair
 * @property {number} round
 * @property {number[]} base µs a request, by window
 * @property {number[]} compared likewise
 */

/**
 * @param {Cell[]} cells of workloads
 * @returns {Row[]} in order of first appearance
 */
function summarize (cells) {
  return byName(cells, ['unpatched', 'patched', 'aa'], (of) => {
    const first = (variant) => of(variant).map((cell) => cell.first)
    const turns = (state) => of('patched').map((cell) => geometricMean(cell[state]))
    return {
      base: median(first('unpatched')),
      aa: pairedRatio(first('aa'), first('unpatched')),
      off: pairedRatio(first('patched'), first('unpatched')),
      on: pairedRatio(turns('on'), turns('off'))
    }
  })
}

/**
 * @param {PairCell[]} cells of servers
 * @returns {Row[]} in order of first appearance
 */
function summarizePairs (cells) {
  return byName(cells, ['aa', 'off', 'on'], (of) => {
    const ratio = (pair) => pairedRatio(of(pair).map(({ compared }) => geometricMean(compared)), of(pair).map(({ base }) => geometricMean(base)))
    return { base: median(of('aa').flatMap(({ base }) => base)), aa: ratio('aa'), off: ratio('off'), on: ratio('on') }
  })
}

// Of the rounds that have all variants; a name that has none gets no row.
function byName (cells, variants, row) {
  return [...new Set(cells.map(({ name }) => name))].flatMap((name) => {
    const mine = cells.filter((cell) => cell.name === name)
    const find = (variant, round) => mine.find((cell) => cell.variant === variant && cell.round === round)
    const rounds = [...new Set(mine.map(({ round }) => round))].filter((round) => variants.every((variant) => find(variant, round)))
    if (rounds.length === 0) return []
    return [{ name, processes: rounds.length, ...row((variant) => rounds.map((round) => find(variant, round))) }]
  })
}

module.exports = { summarize, summarizePairs }
