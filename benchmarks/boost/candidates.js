'use strict'

// Which policies are simulated, each with what it can be told: more energy buys
// more of the tail, and a frontier shows how much.

/** Of what is usual, that a queue or an event must exceed. */
const FACTORS = [1.25, 1.75, 2.5, 4, 8]
/** Of static low's p99.9, that Rubik and slo are to reach. */
const RUBIK_TARGETS = [0.3, 0.45, 0.6, 0.75, 0.9, 1.1]
const SLO_TARGETS = [0.005, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8]
/** How many of the routes that are likeliest to be tail Adrenaline boosts. */
const ROUTES = [1, 2, 3]
const LEAST_REQUESTS = 10

/**
 * @typedef {object} Candidate
 * @property {string} family of the frontier that it is a point of
 * @property {string} setting
 * @property {string} policies as EDGEWISE_BOOST takes them
 * @property {boolean} [usual] the family as the benchmark of emulated runs has it
 * @property {number} [target_ns]
 * @property {number} [queue_factor]
 * @property {number} [head_factor]
 * @property {string[]} [routes]
 */

/** @type {Candidate} */
const LOW = { family: 'low', setting: '', policies: 'low', usual: true }

/** @type {Candidate[]} what is needed to choose the others' targets */
const FIRST = [LOW, { family: 'gc', setting: '', policies: 'gc', usual: true }, { family: 'combined', setting: '2.5', policies: 'gc,queue', usual: true }]

/**
 * @param {{ tailsNs: number[], routes: Record<string, { requests: number, tail: number }> }} known tails: of FIRST
 * @returns {Candidate[]} the first: static low
 */
function candidates ({ tailsNs: [low, gc, combined], routes }) {
  const part = (share) => Math.round(share * low)
  const likely = Object.entries(routes).filter(([, { requests }]) => requests >= LEAST_REQUESTS)
    .map(([name, { requests, tail }]) => ({ name, lift: tail / requests }))
    .sort((a, b) => b.lift - a.lift).map(({ name }) => name)
  return [
    LOW,
    { family: 'static', setting: 'mid', policies: 'mid', usual: true },
    { family: 'static', setting: 'high', policies: 'high', usual: true },
    FIRST[1],
    { family: 'queue', setting: '2.5', policies: 'queue', usual: true },
    ...FACTORS.map((factor) => ({ family: 'combined', setting: String(factor), policies: 'gc,queue', queue_factor: factor, head_factor: factor, usual: factor === 2.5 })),
    { family: 'rubik', setting: 'what gc reached', policies: 'rubik', target_ns: Math.round(gc), usual: true },
    { family: 'rubik', setting: 'what Combined reached', policies: 'rubik', target_ns: Math.round(combined) },
    ...RUBIK_TARGETS.map((share) => ({ family: 'rubik', setting: `${share} of low's p99.9`, policies: 'rubik', target_ns: part(share) })),
    ...ROUTES.filter((count) => count <= likely.length).map((count) => (
      { family: 'adrenaline', setting: `${count} route${count > 1 ? 's' : ''}`, policies: 'adrenaline', routes: likely.slice(0, count), usual: count === 1 })),
    { family: 'slo', setting: 'by itself', policies: 'slo', usual: true },
    ...SLO_TARGETS.map((share) => ({ family: 'slo', setting: `${share} of low's p99.9`, policies: 'slo', target_ns: part(share) }))
  ]
}

module.exports = { FIRST, LOW, candidates }
