'use strict'

// What the rivals are told before they compete, from a run of its own.

const MS = 1e6
const TWICE = 2

/**
 * The oracle of Adrenaline (VEE'19 section 7.2): the routes that are in the
 * tail at least twice as often as they are requested; if there is none, the one
 * that comes closest.
 * @param {Record<string, { requests: number, tail: number }>} shares by route
 * @returns {string[]}
 */
function tailRoutes (shares) {
  const routes = Object.entries(shares).filter(([route]) => !route.startsWith('('))
  const total = (name) => routes.reduce((sum, [, one]) => sum + one[name], 0)
  const [requests, tail] = [total('requests'), total('tail')]
  if (tail === 0) return []
  const lifts = routes.map(([route, one]) => ({ route, lift: (one.tail / tail) / (one.requests / requests) }))
    .sort((a, b) => b.lift - a.lift)
  const likely = lifts.filter(({ lift }) => lift >= TWICE)
  return (likely.length > 0 ? likely : lifts.slice(0, 1)).map(({ route }) => route)
}

/**
 * @param {any} run of the policy whose tail is to be reached
 * @returns {number} that tail, ms
 */
function targetMs (run) {
  return run.client.p999 / MS
}

module.exports = { tailRoutes, targetMs }
