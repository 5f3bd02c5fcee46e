'use strict'

// What an experiment has found (docs/slow.md).

const { pairedRatio } = require('../statistics')

/** @typedef {import('./experiment').Run} Run */

/**
 * @param {Run[]} runs of whole repetitions
 * @param {string} cut
 * @returns {{ throughput: number[], ratio: number, low: number, high: number, runs: number }} predicted, each repetition; against the same one as it is
 */
function against (runs, cut) {
  const base = runs.filter((run) => run.cut === null)
  const changed = base.map(({ repetition }) => /** @type {Run} */ (runs.find((run) => run.cut === cut && run.repetition === repetition)).predicted)
  return { throughput: changed, ...pairedRatio(changed, base.map(({ throughput }) => throughput)) }
}

/**
 * @param {Run[]} runs
 * @returns {Run[]} of those repetitions that were not interrupted
 */
function whole (runs) {
  const kinds = new Set(runs.map(({ cut }) => cut)).size
  return runs.filter(({ repetition }) => runs.filter((run) => run.repetition === repetition).length === kinds)
}

/** @param {{ ratio: number, low: number, high: number, throughput: number[] }} found */
function asJson ({ ratio, low, high, throughput }) {
  return { gain: [ratio - 1, low - 1, high === Infinity ? null : high - 1], throughput }
}

module.exports = { against, asJson, whole }
