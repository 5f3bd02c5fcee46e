'use strict'

// Whose code runs? What each tool says at every step of the truth programs but
// the first, which all of them know, against the request that the step is of.

/**
 * @typedef {object} Counts
 * @property {number} steps
 * @property {number} found that are attributed to their own request
 * @property {number} claims steps attributed to a request, once for each request
 * @property {number} right of these, those that are true
 */

/** Clock readings lie a little outside of what they bracket. */
const CLOCK_SLACK_NS = 30_000

/**
 * @param {any[]} requests of one thread, as their handlers told them
 * @param {(step: any, request: any) => string[]} claimedBy the routes that a tool says the step is of
 * @returns {Counts}
 */
function countThread (requests, claimedBy) {
  const counts = { steps: 0, found: 0, claims: 0, right: 0 }
  for (const request of requests) {
    if (request.end === null) continue // Given up by its client.
    for (const step of request.steps.slice(1)) {
      if (step.begin === null || step.end === null) continue
      const claims = claimedBy(step, request)
      const own = claims.includes(request.route)
      counts.steps++
      counts.found += Number(own)
      counts.claims += claims.length
      counts.right += claims.filter((route) => route === request.route || isInside(step, requests, route)).length
    }
  }
  return counts
}

// Code that a step of another request calls is that one's as well.
function isInside (step, requests, route) {
  const other = requests.find((each) => each.route === route)
  return other.steps.some(({ begin, end }) => begin !== null && begin <= step.begin && end >= step.end)
}

/**
 * @param {any[]} testimony of a run with an observer
 * @returns {Counts}
 */
function countObserved (testimony) {
  return sum(testimony.map(({ requests }) => countThread(requests, ({ observed }) => observed === undefined ? [] : [observed])))
}

/**
 * @param {any} result of runProgram()
 * @returns {Counts}
 */
function countReported ({ testimony, compared }) {
  return sum(testimony.map(({ process, thread, requests }) => {
    const graphs = compared.filter(({ row }) => row.process === process && row.thread === thread)
      .map(({ truth, request }) => ({
        route: truth.route,
        nodes: request.nodes.map((node) => ({ begin: request.start_ns + node.begin_ns, end: request.start_ns + node.end_ns }))
      }))
    return countThread(requests, (step, own) => graphs.filter(({ route, nodes }) => nodes.some((node) => route === own.route
      ? node.begin - CLOCK_SLACK_NS <= step.begin && step.begin <= node.end + CLOCK_SLACK_NS
      : node.begin <= step.begin && step.end <= node.end)).map(({ route }) => route))
  }))
}

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
function sum (all) {
  const total = { steps: 0, found: 0, claims: 0, right: 0 }
  for (const counts of all) {
    for (const key of Object.keys(total)) total[key] += counts[key]
  }
  return total
}

module.exports = { countObserved, countReported, sum }
