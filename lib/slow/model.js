'use strict'

// What a faster target would bring, from a run in which all others were slower
// (Slowpoke, NSDI'26, section 3): equation 9.

/**
 * @typedef {{ atMs: number, count: number }} Counted so many requests had begun then
 */
/**
 * @typedef {object} Window what was seen of one run
 * @property {Counted[]} front of the service that users ask
 * @property {Counted[]} rounds of the service whose requests make the rounds, one entry a round
 */
/**
 * @typedef {object} Measured
 * @property {number} seconds
 * @property {number} requests that users sent
 * @property {number} rounds
 * @property {number} calls of the counted service
 */

/** Of a window fewer rounds say too little: a part of one is lost at each end. */
const LEAST_ROUNDS = 10

/**
 * From one begin of a round to another, so that it holds whole pauses.
 * @param {Window} window
 * @returns {Measured | null} null: it is too short
 */
function measure ({ front, rounds: all }) {
  if (front.length < 2) return null
  const rounds = all.filter(({ atMs }) => atMs >= front[0].atMs && atMs <= front[front.length - 1].atMs)
  if (rounds.length < LEAST_ROUNDS + 1) return null
  const [first, last] = [rounds[0], rounds[rounds.length - 1]]
  const requests = countAt(front, last.atMs) - countAt(front, first.atMs)
  return { seconds: (last.atMs - first.atMs) / 1000, requests, rounds: rounds.length - 1, calls: last.count - first.count }
}

/** @param {Counted[]} counts @param {number} atMs not before the first, nor after the last @returns {number} between two of them, in proportion */
function countAt (counts, atMs) {
  const after = counts.findIndex((each) => each.atMs > atMs)
  if (after < 0) return counts[counts.length - 1].count
  const [low, high] = [counts[after - 1], counts[after]]
  return low.count + (atMs - low.atMs) / (high.atMs - low.atMs) * (high.count - low.count)
}

/** @param {Measured} measured @returns {number} requests a second, as they came */
const throughput = ({ requests, seconds }) => requests / seconds

/**
 * 1 / t_opt = 1 / t_vs - d c_1 / q_1, where d c_1 / q_1 is what each other service was paused for a request.
 * @param {Measured} measured while the others were paused
 * @param {number} pausedS for which each of them was
 * @returns {number} requests a second with the faster target
 */
function predicted ({ requests, seconds }, pausedS) {
  return requests / (seconds - pausedS)
}

/**
 * @param {{ cutNs: number, batch: number, parallel: number, calls?: number }} asked batch: of the counted requests, a round;
 *   parallel: how many the target works on at once (q_1); calls: of the target, per counted request, where it is not counted itself
 * @returns {number} ns that each other service is paused for, a round
 */
function pauseNs ({ cutNs, batch, parallel, calls = 1 }) {
  return Math.round(cutNs * batch * calls / parallel)
}

module.exports = { countAt, measure, pauseNs, predicted, throughput }
