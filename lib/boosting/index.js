'use strict'

// Boosting in this thread, beside recording or without it. Whatever fails here
// leaves the application at its normal frequency.

const fs = require('node:fs')
const path = require('node:path')
const { threadId } = require('node:worker_threads')
const binding = require('../native/binding')
const { instrumentBoostRequests } = require('../instrument/servers/boost-requests')
const { RouteTable } = require('../instrument/servers/routes')
const { makeDirectory } = require('../make-directory')
const { BOOSTD } = require('../native/native-files')

/** Policies that must know which requests are in flight. */
const OF_REQUESTS = ['slo', 'rubik', 'adrenaline']

/** @type {null | { native: any, queue: true | string, undo: () => void }} */
let current = null

/**
 * Begins to boost this thread's event loop.
 *
 * @param {import('../config').Config} config with `boost` set
 * @returns {{ actuator: string, description: string, queue: true | string }} what
 *   changes the frequency; `queue`: true, or why only collections are seen
 * @throws {Error} when nothing here can change the frequency; the application is
 *   as it was
 */
function start (config) {
  if (current) return described(current)
  const native = binding.load()
  const policies = /** @type {string} */ (config.boost)
  const tailRoutes = config.boostRoutes ?? []
  const { queue } = native.boostStart({
    policies,
    queueFactor: config.boostQueueFactor,
    headFactor: config.boostHeadFactor,
    targetNs: Math.ceil((config.boostTargetMs ?? 0) * 1e6),
    percentile: config.boostPercentile,
    tailRoutes: tailRoutes.map((_, i) => i + 1),
    actuator: config.boostActuator,
    frequenciesKhz: (config.boostMhz ?? [0, 0, 0]).map((mhz) => mhz * 1000),
    delayNs: config.boostDelayUs * 1000,
    // The threads of a process may share a processor: one thief, not one each.
    domain: config.boostDomain ?? '@process',
    guardian: guardian(),
    socket: config.boostSocket,
    statsStem: statsStem(config)
  })
  const wantsRequests = policies.split(',').some((name) => OF_REQUESTS.includes(name))
  current = { native, queue, undo: wantsRequests ? instrumentBoostRequests(native, numberedRoutes(tailRoutes)) : () => {} }
  return described(current)
}

/** Stops, restores the frequency and writes the statistics; no effect when this thread is not boosted. */
function stop () {
  if (!current) return
  const { native, undo } = current
  current = null
  undo()
  native.boostStop()
}

/** @returns {Record<string, any> | null} what boosting has done until now: `boost` of docs/report-json.md */
function status () {
  return current && JSON.parse(current.native.boostStats())
}

/**
 * @param {import('../config').Config} config
 * @returns {Record<string, { name: string, available: boolean, reason: string }>} what can change the frequency
 *   here, as tried
 */
function probe (config) {
  const found = binding.load().boostProbe({ guardian: guardian(), socket: config.boostSocket })
  return Object.fromEntries(Object.entries(found).map(([name, answer]) => [`boost_${name}`, { name: `boost by ${name}`, ...answer }]))
}

/**
 * Routes by numbers of their own, 1, 2, ...: policies keep tables of them. At a
 * request's begin only its path is known, so a route as reports name it (with
 * its framework's pattern) has the number of all paths that it matches.
 *
 * @param {string[]} named
 */
function numberedRoutes (named) {
  const patterns = named.map((route, i) => ({ matches: patternOf(route), number: i + 1 }))
  /** @type {Map<string, number>} */
  const numbers = new Map()
  let last = named.length
  return new RouteTable((text) => {
    let number = numbers.get(text)
    if (number === undefined) {
      number = patterns.find(({ matches }) => matches.test(text))?.number ?? ++last
      numbers.set(text, number)
    }
    return number
  })
}

/** @param {string} route 'METHOD /path/:parameter', or 'METHOD /^regular expression/' @returns {RegExp} */
function patternOf (route) {
  const [method, path] = [route.slice(0, route.indexOf(' ')), route.slice(route.indexOf(' ') + 1)]
  const expression = /^\/\^(.*)\/[a-z]*$/.exec(path)
  const body = expression
    ? expression[1]
    : path.split('/').map((part) => part.startsWith(':') ? (part.endsWith('?') ? '[^/]*' : '[^/]+') : escaped(part))
      .join('/').replace(/\\\*/g, '.*') + '$'
  try {
    return new RegExp(`^${escaped(method)} ${body}`)
  } catch {
    return new RegExp(`^${escaped(route)}$`)
  }
}

/** @param {string} text @returns {string} as a regular expression has it */
function escaped (text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

// What restores the frequency when this process is killed; '' where it is not built.
function guardian () {
  return fs.existsSync(BOOSTD) ? BOOSTD : ''
}

function described ({ native, queue }) {
  const { actuator, description } = JSON.parse(native.boostStats())
  return { actuator, description, queue }
}

/** @param {import('../config').Config} config @returns {string} the file without its end; '' for none */
function statsStem (config) {
  const directory = config.boostStats ?? (config.enabled ? config.out : null)
  if (directory === null) return ''
  makeDirectory(directory)
  return path.join(directory, `boost-${process.pid}-${threadId}`)
}

module.exports = { patternOf, probe, start, status, stop }
