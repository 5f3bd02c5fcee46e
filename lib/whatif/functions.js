'use strict'

// Changes of a function are changes of the routes that run it: by its share of
// their samples (EDGEWISE_STACKS).

const { fold } = require('../flame/fold')

/** @typedef {import('./changes').Change} Change */
/** @typedef {import('./changes').Scenario} Scenario */
/** @typedef {{ name: string, places: string[], routes: Map<string, number> }} Shares of a function: where it is, and its part of each route's execution, 0 to 1 */

const MOST_RANKED = 8
const HALF = 0.5

/**
 * @param {Record<string, any>} report with every stack
 * @returns {Shares[]} of each function with what it called, the largest part of all execution first
 */
function sharesOf (report) {
  const routeOf = new Map((report.stacks?.causes ?? []).map(({ what, route }) => [what, route]))
  /** @type {Map<string, number>} */
  const ofRoutes = new Map()
  /** @type {Map<string, { name: string, places: Set<string>, ns: Map<string, number>, all: number }>} */
  const functions = new Map()
  for (const { frames: [cause, ...frames], ns, rest } of fold(report, 'own')) {
    const route = routeOf.get(cause.name)
    const executed = ns * report.tail.count + rest * report.rest.count
    if (!route || !(executed > 0)) continue
    ofRoutes.set(route, (ofRoutes.get(route) ?? 0) + executed)
    for (const [key, frame] of new Map(frames.filter(({ kind }) => kind === 'own' || kind === 'package').map((each) => [keyOf(each), each]))) {
      const one = functions.get(key) ?? { name: frame.name, places: new Set(), ns: new Map(), all: 0 }
      functions.set(key, one)
      one.places.add(placeOf(frame))
      one.ns.set(route, (one.ns.get(route) ?? 0) + executed)
      one.all += executed
    }
  }
  return [...functions.values()].sort((one, other) => other.all - one.all).map(({ name, places, ns }) => ({
    name,
    places: [...places],
    routes: new Map([...ns].map(([route, its]) => [route, its / /** @type {number} */ (ofRoutes.get(route))]))
  }))
}

/** @param {import('../flame/fold').Frame} frame */
const keyOf = ({ name, script, line }) => `${name} ${script}:${line}`

/** @param {import('../flame/fold').Frame} frame */
const placeOf = ({ script, line }) => `${script}:${line}`

/**
 * @param {Change[]} changes
 * @param {() => Promise<Record<string, any>>} report reads the stacks
 * @returns {Promise<Change[]>} without functions: of the routes that run them
 * @throws {Error} where no stack has the function
 */
async function resolveFunctions (changes, report) {
  if (!changes.some((change) => change.function)) return changes
  const shares = sharesOf(await withStacks(report))
  return changes.flatMap(({ function: wanted, ...change }) => {
    if (!wanted) return [change]
    const found = shares.filter(({ name, places }) => name === wanted || places.some((place) => place === wanted || place.endsWith(`/${wanted}`)))
    const routes = new Map()
    for (const one of found) {
      for (const [route, share] of one.routes) if (!change.route || route === change.route) routes.set(route, Math.min(1, (routes.get(route) ?? 0) + share))
    }
    if (routes.size === 0) throw new Error(`no sample of ${change.route ? `route ${change.route}` : 'any route'} is in ${wanted}: give a function's name or its place, such as server.js:44, as the report has it`)
    return changesOf(routes, change.scale ?? 1)
  })
}

/** @param {() => Promise<Record<string, any>>} report */
async function withStacks (report) {
  const found = await report()
  if (!found.stacks) throw new Error('the trace has no stacks: record with EDGEWISE_STACKS=100')
  return found
}

/** @param {Map<string, number>} routes @param {number} scale @returns {Change[]} */
function changesOf (routes, scale) {
  return [...routes].map(([route, share]) => ({ kind: 'cpu', route, scale: 1 - share * (1 - scale) }))
}

/**
 * @param {Record<string, any>} report with every stack, if there are any
 * @returns {Scenario[]} half the execution of the functions that take most
 */
function functionCandidates (report) {
  return sharesOf(report).slice(0, MOST_RANKED).map(({ name, places, routes }) => ({
    name: `half of ${name || '(anonymous)'} ${places[0].split('/').at(-1)}`,
    changes: changesOf(routes, HALF)
  }))
}

module.exports = { functionCandidates, resolveFunctions }
