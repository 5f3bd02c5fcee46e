'use strict'

// From the runs to what the page says.

// @ts-ignore: the types are those of its ES module
const { mean } = require('simple-statistics')
const { pairedRatio } = require('../../lib/statistics')

/** @param {number[]} values */
const meanOf = (values) => mean(values)

/** @param {{ cells: any[] }} results @param {string} app @param {string} variant @returns {any[]} the runs, by round */
function runsOf ({ cells }, app, variant) {
  return cells.filter((cell) => cell.app === app && cell.variant === variant).sort((a, b) => a.round - b.round)
}

/** @param {any} part tail or rest of a report @returns {Record<string, number>} ns a request, by component */
function partsOf (part) {
  return { 'I/O': part.io_ns, queueing: part.queue_ns, execution: part.exec_ns }
}

/**
 * Means over the recorded rounds, by route; the most frequent routes.
 * @param {any} results
 * @param {string} app
 * @returns {any[]} {route, tail, rest} as in a report
 */
function routesOf (results, app) {
  /** @type {Map<string, any[]>} */
  const byRoute = new Map()
  for (const { recorded } of runsOf(results, app, 'recorded')) {
    for (const route of recorded.report.routes) byRoute.set(route.route, [...byRoute.get(route.route) ?? [], route])
  }
  return [...byRoute.entries()].filter(([, routes]) => meanOf(routes.map(({ count }) => count)) >= MIN_REQUESTS)
    .map(([route, routes]) => ({ route, ...Object.fromEntries(['tail', 'rest'].map((part) => [part, meanPart(routes.map((one) => one[part]))])) }))
}

// Fewer say nothing of a tail.
const MIN_REQUESTS = 20

/** The mean of tails or rests over rounds, key by key. */
function meanPart (parts) {
  const keys = ['mean_latency_ns', 'io_ns', 'queue_ns', 'exec_ns']
  const flat = Object.fromEntries(keys.map((key) => [key, meanOf(parts.map((part) => part[key] ?? 0))]))
  const nested = Object.fromEntries(['exec', 'queue'].map((group) => [group, meanGroup(parts.map((part) => part[group]))]))
  return { ...flat, ...nested, not_running: meanGroup(parts.map((part) => part.not_running ?? null)) }
}

// null stays null: it was not observable.
function meanGroup (groups) {
  if (groups.includes(null)) return null
  return Object.fromEntries(Object.keys(groups[0]).map((key) => {
    const values = groups.map((group) => group[key])
    return [key, values.includes(null) ? null : meanOf(values)]
  }))
}

/** @returns {any} mean of the recorded rounds' tail (or rest) over all routes */
function partOf (runs, part) {
  return meanPart(runs.map(({ recorded }) => recorded.report[part]))
}

/**
 * @param {{ cells: any[] }} results
 * @param {string} app
 * @param {string} variant against bare
 * @param {(cell: any) => number} of
 */
function against (results, app, variant, of) {
  return pairedRatio(runsOf(results, app, variant).map(of), runsOf(results, app, 'bare').map(of))
}

module.exports = { against, meanOf, partOf, partsOf, routesOf, runsOf }
