'use strict'

// From the runs to what the page says. A turn is compared with the low turns of
// its process; a run with a process of its own with the static low runs (two,
// if there is an A/A one) of the same round and application.

// @ts-ignore: the types are those of its ES module
const { mean } = require('simple-statistics')
const { meanOfRatios, median, pairedRatio } = require('../../lib/statistics')
const { LEVELS } = require('./plan')
const { AGAIN, BASE, POLICIES } = require('./policies')

/** @typedef {{ value: number, low: number, high: number, runs: number }} Estimate with its 95 % interval */
/** @typedef {{ app: string, policy: string, delayUs: number, reduction: Estimate, energy: Estimate | null, cells: any[] }} Row */
/** @typedef {{ name: string, energy: number, reduction: number }} Point */

const TAIL = (cell) => cell.client.p999
const P99 = (cell) => cell.client.p99
const ENERGY = (cell) => cell.boost.energy

/**
 * @param {any[]} cells of one section
 * @param {string} app
 * @param {string} policy
 * @param {number} [delayUs]
 * @returns {any[]} by round
 */
function runsOf (cells, app, policy, delayUs = 0) {
  return cells.filter((cell) => cell.app === app && cell.policy === policy && cell.delayUs === delayUs).sort((a, b) => a.round - b.round)
}

/**
 * @param {any[]} cells of one section
 * @param {string} app
 * @param {string} policy
 * @param {number} [delayUs]
 * @param {(cell: any) => number} [of]
 * @returns {Row | undefined} undefined: not measured together with the base
 */
function rowOf (cells, app, policy, delayUs = 0, of = TAIL) {
  const pairs = pairsOf(cells, app, policy, delayUs)
  if (pairs.length === 0) return undefined
  const own = pairs.map(({ cell }) => cell)
  return {
    app,
    policy,
    delayUs,
    reduction: reductionOf(estimate(pairs.map((pair) => ratioOf(pair, of)))),
    energy: energyIsKnown(own) ? estimate(pairs.map((pair) => ratioOf(pair, ENERGY))) : null,
    cells: own
  }
}

function energyIsKnown (cells) {
  return cells.every((cell) => ENERGY(cell) !== null)
}

function pairsOf (cells, app, policy, delayUs) {
  const low = ([BASE, AGAIN].includes(policy) ? [BASE] : [BASE, AGAIN]).flatMap((name) => runsOf(cells, app, name))
  return withoutSlow(runsOf(cells, app, policy, delayUs)).flatMap((cell) => {
    const bases = withoutSlow(cell.bases ?? low.filter(({ round }) => round === cell.round))
    return bases.length > 0 ? [{ cell, bases }] : []
  })
}

// Turns that found a slow machine in all attempts tell of it: left out where
// there are others. (Those of static low, all together, are what they are.)
function withoutSlow (cells) {
  const fast = cells.filter(({ turns, slow }) => !(turns === 1 && slow === 1))
  return fast.length > 0 ? fast : cells
}

// To the geometric mean of the bases: to their median, static low measured once more would be worse than static low, for p99.9 is skewed.
function ratioOf ({ cell, bases }, of) {
  return Math.exp(mean(bases.map((base) => Math.log(of(cell) / of(base)))))
}

/**
 * @param {import('./cost').Cost[]} costs
 * @returns {{ server: string, offUs: number, control: Estimate, on: Estimate, sleeps: number }[]} of the processes' medians; sleeps: a block, the mean
 */
function summarizeCosts (costs) {
  return [...new Set(costs.map(({ server }) => server))].map((server) => {
    const processes = costs.filter((one) => one.server === server).map(({ blocks }) => blocks)
    const ratios = (control) => estimate(processes.map((blocks) => median(blocks.filter((block) => block.control === control).map(({ ratio }) => ratio))))
    const blocks = processes.flat()
    return { server, offUs: median(blocks.map(({ offUs }) => offUs)), control: ratios(true), on: ratios(false), sleeps: mean(blocks.map(({ sleeps }) => sleeps)) }
  })
}

/** @param {number[]} ratios by round @returns {Estimate} */
function estimate (ratios) {
  return estimateOf(pairedRatio(ratios, ratios.map(() => 1)))
}

/** @param {import('../../lib/statistics').Ratio} ratio @returns {Estimate} */
function estimateOf ({ ratio, low, high, runs }) {
  return { value: ratio, low, high, runs }
}

/** @param {Estimate} ratio @returns {Estimate} of the reduction, percent */
function reductionOf ({ value, low, high, runs }) {
  const percent = (ratio) => 100 * (1 - ratio)
  return { value: percent(value), low: percent(high), high: percent(low), runs }
}

/**
 * The mean over applications, as the paper's table 7.
 * @param {any[]} cells of one section
 * @param {string[]} apps at least one
 * @param {string} policy
 * @param {number} [delayUs]
 * @param {(cell: any) => number} [of]
 * @returns {Row | undefined} undefined: not measured in all
 */
function meanRow (cells, apps, policy, delayUs = 0, of = TAIL) {
  const byApp = apps.map((app) => pairsOf(cells, app, policy, delayUs))
  if (byApp.some((pairs) => pairs.length === 0)) return undefined
  const all = byApp.flatMap((pairs) => pairs.map(({ cell }) => cell))
  const meanOf = (of) => estimateOf(meanOfRatios(byApp.map((pairs) => pairs.map((pair) => ratioOf(pair, of)))))
  return {
    app: 'mean',
    policy,
    delayUs,
    reduction: reductionOf(meanOf(of)),
    energy: energyIsKnown(all) ? meanOf(ENERGY) : null,
    cells: all
  }
}

/**
 * What there is to choose from: not the base measured again, nor what was not
 * measured on all applications (no flags were found for some).
 * @param {any[]} cells of one section
 * @param {string[]} apps
 * @returns {Point[]} the policies' means, where the energy is known
 */
function points (cells, apps) {
  return POLICIES.filter(({ name }) => name !== AGAIN).flatMap(({ name }) => {
    const row = meanRow(cells, apps, name)
    return row?.energy ? [{ name, energy: row.energy.value, reduction: row.reduction.value }] : []
  })
}

/**
 * The points that no other beats in one respect without being worse in the other.
 * @param {Point[]} all
 * @returns {Point[]} by energy
 */
function paretoFrontier (all) {
  const sorted = [...all].sort((a, b) => a.energy - b.energy || b.reduction - a.reduction)
  let best = -Infinity
  return sorted.filter(({ reduction }) => {
    if (reduction <= best) return false
    best = reduction
    return true
  })
}

/**
 * The propositions of section 4.4, from recorded runs.
 * @param {any[]} cells of the section
 * @param {string} app
 * @returns {{ level: string, io: Estimate | null, latency: Estimate, ioNs: number, latencyNs: number }[]} against the
 *   low level; io null: there is none
 */
function propositions (cells, app) {
  const low = runsOf(cells, app, BASE)
  return LEVELS.flatMap((level) => {
    const pairs = runsOf(cells, app, level).flatMap((cell) => {
      const base = low.find(({ round }) => round === cell.round)
      return base ? [[overall(cell), overall(base)]] : []
    })
    if (pairs.length === 0) return []
    const of = (name) => mean(pairs.map(([cell]) => cell[name]))
    return [{
      level,
      io: pairs.every(([, base]) => base.io > 0) ? estimate(pairs.map(([cell, base]) => cell.io / base.io)) : null,
      latency: estimate(pairs.map(([cell, base]) => cell.latency / base.latency)),
      ioNs: of('io'),
      latencyNs: of('latency')
    }]
  })
}

// All requests: tail and rest together.
function overall ({ recorded: { report: { tail, rest } } }) {
  const both = (name) => (tail.count * tail[name] + rest.count * rest[name]) / (tail.count + rest.count)
  return { io: both('io_ns'), latency: both('mean_latency_ns') }
}

/**
 * What the controllers of a policy did, over applications and rounds.
 * @param {any[]} cells of one section
 * @param {string} policy
 */
function behaviour (cells, policy) {
  const boosts = cells.filter((cell) => cell.policy === policy).map(({ boost }) => boost)
  if (boosts.length === 0) return undefined
  const sum = (of) => boosts.reduce((total, boost) => total + of(boost), 0)
  const reaction = (signal) => {
    const seen = boosts.map(({ reactionNs }) => reactionNs[signal]).filter((one) => one?.count > 0)
    const p99 = seen.map((one) => one.p99)
    return seen.length === 0 ? null : { p50: median(seen.map(({ p50 }) => p50)), p99: median(p99), worst: Math.max(...p99) }
  }
  const residency = (level) => sum(({ residencyNs }) => residencyNs[level])
  const all = LEVELS.reduce((total, level) => total + residency(level), 0)
  return {
    perSecond: 1e9 * sum((boost) => boost.boosts) / sum(({ elapsedNs }) => elapsedNs),
    shares: Object.fromEntries(LEVELS.map((level) => [level, residency(level) / all])),
    reaction: { gc: reaction('gc'), queue: reaction('queue'), head: reaction('head') },
    dropped: sum(({ dropped }) => dropped),
    errors: sum(({ errors }) => errors)
  }
}

module.exports = { P99, behaviour, meanRow, paretoFrontier, points, propositions, rowOf, runsOf, summarizeCosts }
