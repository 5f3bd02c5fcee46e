'use strict'

// Which run comes next. A round measures every candidate that is still in
// question once, between two runs of V8's own sizes; every second round runs
// backwards, so that what drifts slowly hits all alike.

const { coarse, fine } = require('./candidates')
const { costOf, inQuestion, isDecided } = require('./choose')

/** @typedef {import('./candidates').Grid} Grid */
/** @typedef {import('./choose').Candidate} Candidate */
/** @typedef {import('./choose').Objective} Objective */

const COARSE_ROUNDS = 3

class Sweep {
  /**
   * @param {Grid} grid
   * @param {Objective} objective
   * @param {number} maxRuns
   */
  constructor (grid, objective, maxRuns) {
    this.grid = grid
    this.objective = objective
    this.maxRuns = maxRuns
    /** @type {Candidate[]} in the order they are shown in */
    this.candidates = [candidate('default', {}), candidate('again', {}), ...coarse(grid).map((sizes) => candidate('tried', sizes))]
    this.round = 0
    this.runs = 0
    /** @type {'decided' | 'runs' | null} why there is no next round; null: there is */
    this.over = null
    /** What max-runs must allow at least. */
    this.leastRuns = this.candidates.length
  }

  /**
   * @returns {Candidate[]} the runs of the next round, in order; empty: it is over
   */
  next () {
    if (this.round === COARSE_ROUNDS) this.refine()
    if (this.round > COARSE_ROUNDS && isDecided(this.candidates, this.objective)) this.over = 'decided'
    const open = inQuestion(this.candidates, this.objective)
    const tried = this.candidates.filter((one) => open.includes(one))
    if (tried.length === 0) this.over = 'decided'
    if (!this.over && this.runs + tried.length + 2 > this.maxRuns) this.over = 'runs'
    if (this.over) return []
    const [first, last] = this.candidates
    const order = [first, ...tried, last]
    return this.round % 2 === 0 ? order : order.reverse()
  }

  /**
   * @param {Candidate} one
   * @param {Omit<import('./choose').Run, 'round'> | { failed: string }} result of a run of this round
   */
  add (one, result) {
    this.runs++
    if ('failed' in result) one.failed = result.failed
    else one.runs.push({ round: this.round, ...result })
  }

  endRound () {
    this.round++
  }

  // The second stage: what is near the best, and of the others only the best.
  refine () {
    const open = inQuestion(this.candidates, this.objective)
      .filter((one) => Number(costOf(one, this.candidates, this.objective)?.ratio) < 1)
    const young = open.find(({ sizes }) => sizes.young)
    if (!young) return
    for (const one of this.candidates) one.left = one.role === 'tried' && one !== open[0] && one !== young
    const old = open.find(({ sizes }) => sizes.old)
    this.candidates.push(...fine(young.sizes, old?.sizes ?? null, this.grid).map((sizes) => candidate('tried', sizes)))
  }
}

/** @param {Candidate['role']} role @param {import('./candidates').Sizes} sizes @returns {Candidate} */
function candidate (role, sizes) {
  return { role, sizes, runs: [], failed: null, left: false }
}

module.exports = { Sweep }
