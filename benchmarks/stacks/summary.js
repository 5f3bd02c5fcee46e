'use strict'

// From what was measured to a row a program, a sampler, a comparison.

const { median, pairedRatio } = require('../../lib/statistics')
const { summarizePairs } = require('../overhead/summary')
const { medianOf } = require('./median')
const { NONE } = require('./peers')
const { TOOLS } = require('./peers/tools')
const { PROGRAMS } = require('./programs')

/** @typedef {import('../../lib/statistics').Ratio} Ratio */

/**
 * @typedef {object} ProgramRow
 * @property {string} node
 * @property {import('./programs').Program} program
 * @property {number} runs
 * @property {number} samples of all runs
 * @property {number | null} right of the time that was told in functions of programs, in the right one; null: nothing was told
 * @property {number | null} around of the time of its requests that was told, in what is around the programs
 * @property {number | null} unknown of its requests' time that was sampled, what could not be told
 * @property {Ratio} told length against the true one
 * @property {string} [needs]
 */

/** @param {import('./truth').Truth} truth @returns {ProgramRow[]} */
function programRows ({ runs }) {
  const nodes = [...new Set(runs.map(({ node }) => node))]
  return nodes.flatMap((node) => PROGRAMS.flatMap((program) => {
    const judged = runs.filter((run) => run.node === node && run.program === program.name).map((run) => run.judged)
    if (judged.length === 0) return []
    return [{
      node,
      program,
      runs: judged.length,
      samples: judged.reduce((sum, { samples }) => sum + samples, 0),
      right: meanOf(judged.map(({ rightShare }) => rightShare)),
      around: meanOf(judged.map(({ aroundShare }) => aroundShare)),
      unknown: meanOf(judged.map(({ unknownShare }) => unknownShare)),
      told: pairedRatio(judged.map(({ toldNs }) => toldNs), judged.map(({ trueNs }) => trueNs)),
      needs: judged[0].needs
    }]
  }))
}

/** @param {(number | null)[]} shares of runs; of one in which nothing was told there is none */
function meanOf (shares) {
  const known = shares.flatMap((share) => share === null || Number.isNaN(share) ? [] : [share])
  return known.length ? known.reduce((sum, share) => sum + share, 0) / known.length : null
}

/**
 * @typedef {object} ToolRow
 * @property {string} name
 * @property {import('./median').Estimate | null} pauseMs the longest turn when it is switched on; null: it cannot be, or it was not measured
 * @property {number | null} startMs longer until a server listens
 * @property {Ratio | null} cost thread CPU a request, against none
 * @property {number | null} inlined share named
 * @property {{ leaf: string, told: Ratio } | null} native
 */

/** @param {import('./peers').Peers} peers @returns {ToolRow[]} the first is none at all */
function toolRows (peers) {
  const costs = summarizePairs(peers)
  const startOf = (/** @type {string} */ tool) => peers.starts.filter((start) => start.tool === tool).map(({ ms }) => ms)
  return [NONE, ...TOOLS.map(({ name }) => name)].map((name) => {
    const pauses = peers.pauses.filter(({ tool }) => tool === name)
    const starts = startOf(name)
    const named = peers.named.filter(({ tool }) => tool === name)
    const cost = costs.find(({ variant }) => variant === (name === NONE ? 'aa' : name))
    return {
      name,
      pauseMs: pauses.length ? medianOf(pauses.map(({ pauseMs }) => pauseMs)) : null,
      startMs: starts.length && name !== NONE ? median(starts) - median(startOf(NONE)) : null,
      cost: cost?.measures.mainUs?.ratio ?? null,
      inlined: meanOf(named.map(({ inlinedShare }) => inlinedShare)),
      native: named.length
        ? { leaf: named[0].nativeLeaf, told: pairedRatio(named.map(({ nativeNs }) => nativeNs), named.map(({ nativeTrueNs }) => nativeTrueNs)) }
        : null
    }
  })
}

module.exports = { programRows, toolRows }
