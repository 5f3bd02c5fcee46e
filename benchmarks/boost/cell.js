'use strict'

// One run of an application at an emulated frequency: on a processor of its
// own, since that is what the emulation slows down.

const { TaskError } = require('../../scripts/tasks/step')
const { saturation } = require('../apps/run')
const { measure } = require('../results/cell')
const { APP_CPU } = require('./place')
const { LEAST_REQUESTS } = require('./plan')
const { BASE, startOf } = require('./policies')
const { between, snapshot } = require('./window')

const PERCENTILE = 99

/**
 * @typedef {object} Boost what the controllers of a run did under load, warm-up included, together
 * @property {string} description of the actuator
 * @property {{ low: number, mid: number, high: number }} residencyNs
 * @property {number | null} energy normalised to all of the time at low; null: unavailable
 * @property {string} energyKind modelled, measured or unavailable
 * @property {number} boosts
 * @property {number} elapsedNs
 * @property {Record<string, { boosts: number, boosted_ns: number }>} reasons
 * @property {Record<string, { count: number, p50: number, p99: number, max: number }>} reactionNs the worst of the controllers
 * @property {number} dropped signals
 * @property {number} errors of the actuator
 */

/**
 * @param {string} app
 * @param {{ workers: number, signal: AbortSignal }} settings
 * @returns {Promise<number>} requests per second at the low frequency
 */
function saturationAtLow (app, { workers, signal }) {
  return saturation(app, { workers, signal, cpus: APP_CPU, ...startOf(BASE, {}, { domain: domainOf(workers) }) })
}

/**
 * @param {import('./plan').Run} run
 * @param {import('./policies').Known} known of its application
 * @param {{ ratePerS: number, seconds: number, warmup: number, signal: AbortSignal }} settings seconds: at least
 * @returns {Promise<any>} what measure() of ../results/cell.js returns, and `boost`: a Boost
 * @throws {TaskError} when no controller says anything: then nothing was boosted
 */
async function measureRun ({ app, policy, actuator, delayUs, workers, recorded, round }, known, settings) {
  const start = startOf(policy, known, { actuator, delayUs, domain: domainOf(workers), recorded })
  /** @type {import('./window').Snapshot[]} */
  const snapshots = []
  const look = async ({ pid }) => { snapshots.push(await snapshot(pid)) }
  const seconds = Math.max(settings.seconds, Math.ceil(LEAST_REQUESTS / settings.ratePerS))
  // The arrivals of a round are the same for all policies.
  const { cdf, ...cell } = await measure(app, recorded ? 'recorded' : 'bare',
    { ...settings, seconds, percentile: PERCENTILE, seed: round + 1, workers }, { ...start, cpus: APP_CPU, onServing: look, onLoaded: look })
  return { ...cell, boost: together(statsBetween(app, snapshots[0], snapshots[1])) }
}

/**
 * @param {string} app
 * @param {import('./window').Snapshot} first
 * @param {import('./window').Snapshot} last
 * @returns {any[]} for together()
 * @throws {TaskError} when no controller says anything: then nothing was boosted
 */
function statsBetween (app, first, last) {
  const stats = between(first, last)
  if (stats.length === 0) throw new TaskError(`${app} does not say that it boosts: was there a complaint in its log?`)
  return stats
}

// Workers that share a processor share its frequency.
function domainOf (workers) {
  return workers === 1 ? undefined : `bench-${process.pid}`
}

/**
 * @param {any[]} stats of the controllers of a run
 * @returns {Boost} an energy is the mean over the controllers' time: each had one processor, or all had the same
 */
function together (stats) {
  const sum = (of) => stats.reduce((total, one) => total + of(one), 0)
  const elapsedNs = sum((one) => one.elapsed_ns)
  const kinds = [...new Set(stats.map(({ energy }) => energy.kind))]
  const known = kinds.length === 1 && kinds[0] !== 'unavailable'
  return {
    description: stats[0].description,
    residencyNs: { low: sum((one) => one.residency_ns.low), mid: sum((one) => one.residency_ns.mid), high: sum((one) => one.residency_ns.high) },
    energy: known ? sum((one) => one.energy.normalised * one.elapsed_ns) / elapsedNs : null,
    energyKind: known ? kinds[0] : 'unavailable',
    boosts: sum((one) => one.boosts),
    elapsedNs,
    reasons: merge(stats.map(({ reasons }) => reasons), (a, b) => ({ boosts: a.boosts + b.boosts, boosted_ns: a.boosted_ns + b.boosted_ns })),
    reactionNs: merge(stats.map((one) => one.reaction_ns), worse),
    dropped: sum((one) => one.dropped_signals),
    errors: sum((one) => one.set_errors)
  }
}

function merge (objects, of) {
  return objects.reduce((all, one) => {
    for (const [name, value] of Object.entries(one)) all[name] = name in all ? of(all[name], value) : value
    return all
  }, {})
}

function worse (a, b) {
  const most = (name) => Math.max(a[name], b[name])
  return { count: a.count + b.count, p50: most('p50'), p99: most('p99'), max: most('max') }
}

module.exports = { PERCENTILE, measureRun, saturationAtLow, statsBetween, together }
