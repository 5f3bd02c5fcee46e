'use strict'

// The two views of the same requests, side by side.

// @ts-ignore: the types are those of its ES module
const { quantile } = require('simple-statistics')

/** @type {[string, number][]} */
const PERCENTILES = [['p50', 0.5], ['p99', 0.99], ['p99.9', 0.999]]
const ALLOWED = { share: 0.03, ns: 100_000 }
// Clocks of two sources, and the kernel's times in µs.
const SLACK_NS = 2000

/**
 * @typedef {object} Agreement
 * @property {string} name
 * @property {number} clientNs
 * @property {number} recordedNs
 * @property {boolean} within 3 % or 100 µs, whichever is more
 */

/**
 * @param {number[]} client latencies, ns
 * @param {number[]} recorded
 * @returns {Agreement[]}
 */
function compareQuantiles (client, recorded) {
  return PERCENTILES.map(([name, p]) => {
    const [clientNs, recordedNs] = [client, recorded].map((values) => quantile(values, p))
    const allowed = Math.max(ALLOWED.ns, ALLOWED.share * clientNs)
    return { name, clientNs, recordedNs, within: Math.abs(recordedNs - clientNs) <= allowed }
  })
}

/**
 * @param {ReturnType<typeof import('./client').pair>} pairs
 * @returns {{ p50: number, p99: number }} of |recorded - client| a request, ns
 */
function compareEach (pairs) {
  const errors = pairs.map(({ request, sample }) => Math.abs(request.latency_ns - (sample.endNs - sample.sentNs)))
  return { p50: quantile(errors, 0.5), p99: quantile(errors, 0.99) }
}

/**
 * Recorded ready time against the kernel's: the first segment from the client's
 * port between its send and the end of the response.
 * @param {ReturnType<typeof import('./client').pair>} pairs
 * @param {Map<number, number[]>} kernel
 * @returns {{ compared: number, of: number, p1: number, p50: number, p99: number, within: number } | null}
 *   errors in ns, positive: recorded later than it was; within: share of them inside 100 µs
 */
function compareReady (pairs, kernel) {
  const errors = pairs.flatMap(({ request, sample }) => {
    const readable = kernel.get(sample.port)?.find((ns) => ns >= sample.sentNs - SLACK_NS)
    return readable === undefined || readable > sample.endNs ? [] : [request.start_ns - readable]
  })
  if (errors.length === 0) return null
  return {
    compared: errors.length,
    of: pairs.length,
    p1: quantile(errors, 0.01),
    p50: quantile(errors, 0.5),
    p99: quantile(errors, 0.99),
    within: errors.filter((error) => Math.abs(error) <= ALLOWED.ns).length / errors.length
  }
}

module.exports = { compareQuantiles, compareEach, compareReady }
