'use strict'

// The nine topologies of the Slowpoke paper (NSDI'26, figure 7), by its
// caption, and what their services take.

/**
 * @typedef {object} Call of another service
 * @property {string} service
 * @property {string} path
 * @property {number} share of the requests that make it
 */
/**
 * @typedef {object} Service
 * @property {string} name
 * @property {number} us of its own work, a request
 * @property {Record<string, Call[]>} endpoints whom each asks, by path
 */
/** @typedef {{ services: Service[], calls: Record<string, number> }} Built calls: of each service, a request of a user */

/** Whom each asks: NAME, NAME@SHARE of the requests, or NAME/ENDPOINT. The first is what users ask. @type {Record<string, Record<string, string[]>>} */
const TOPOLOGIES = {
  chain: { a: ['b'], b: ['c'], c: [] },
  'dynamic chain': { a: ['b@0.6'], b: ['c@0.6'], c: [] },
  'fan-out': { a: ['b', 'c', 'd'], b: [], c: [], d: [] },
  'unbalanced tree': { a: ['b', 'c'], b: ['d'], c: [], d: [] },
  'dynamic tree': { a: ['b@0.6', 'c@0.4'], b: ['d@0.6', 'e@0.4'], c: [], d: [], e: [] },
  relay: { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] },
  cycle: { a: ['b'], b: ['c@0.5'], 'b/again': [], c: ['b/again'] },
  dag: { a: ['b', 'c', 'd'], b: ['e'], c: ['e'], d: [], e: [] },
  'cache miss': { a: ['b'], b: ['c@0.3', 'd@0.3'], c: [], d: [] }
}
/** Which service becomes faster: the first, one in the middle, the last. */
const PLACEMENTS = ['head', 'middle', 'tail']

const MEAN_US = 700
const DEVIATION_US = 300
const LEAST_US = 200
/** What HTTP takes a service, a request; to have cores that are about as busy. */
const HTTP_US = 250

/** @param {number} seed @returns {() => number} of [0, 1) */
function randomly (seed) {
  let state = seed
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param {string} topology @param {string} placement @returns {string} the target's name */
function targetOf (topology, placement) {
  const names = namesOf(topology)
  return placement === 'head' ? names[0] : placement === 'tail' ? names[names.length - 1] : names[1]
}

const namesOf = (/** @type {string} */ topology) => [...new Set(Object.keys(TOPOLOGIES[topology]).map((path) => path.split('/')[0]))]

/**
 * @param {string} topology
 * @param {string} target its demand is chosen so that its core is about as busy as the one that all others share: it may limit, or not
 * @returns {Built}
 */
function build (topology, target) {
  const described = TOPOLOGIES[topology]
  const draw = randomly(1 + Object.keys(TOPOLOGIES).indexOf(topology) * 16 + namesOf(topology).indexOf(target))
  const gauss = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  const services = namesOf(topology).map((name) => ({ name, us: Math.max(LEAST_US, Math.round(MEAN_US + DEVIATION_US * gauss())), endpoints: endpointsOf(described, name) }))
  const calls = callsOf(services)
  const of = /** @type {Service} */ (services.find(({ name }) => name === target))
  const others = services.filter((service) => service !== of).reduce((sum, { name, us }) => sum + calls[name] * (us + HTTP_US), 0)
  of.us = Math.max(LEAST_US, Math.round((0.6 + draw()) * others / calls[target] - HTTP_US))
  return { services, calls }
}

/** @param {Record<string, string[]>} described @param {string} name */
function endpointsOf (described, name) {
  const own = Object.entries(described).filter(([path]) => path.split('/')[0] === name)
  return Object.fromEntries(own.map(([path, asked]) => [`/${path}`, asked.map((text) => {
    const [, to, service, share = '1'] = /** @type {RegExpExecArray} */ (/^((\w+)[/\w]*)(?:@([\d.]+))?$/.exec(text))
    return { service, path: `/${to}`, share: Number(share) }
  })]))
}

/** @param {Service[]} services @returns {Record<string, number>} */
function callsOf (services) {
  const calls = Object.fromEntries(services.map(({ name }) => [name, 0]))
  const visit = (/** @type {string} */ name, /** @type {string} */ path, /** @type {number} */ share) => {
    calls[name] += share
    const { endpoints } = /** @type {Service} */ (services.find((service) => service.name === name))
    for (const call of endpoints[path]) visit(call.service, call.path, share * call.share)
  }
  visit(services[0].name, `/${services[0].name}`, 1)
  return calls
}

module.exports = { PLACEMENTS, TOPOLOGIES, build, targetOf }
