'use strict'

// What the controllers of an application did while it was under load: its start
// and its end, at the low frequency, are no part of what boosting costs.

const { treeOf } = require('../../lib/cli/process-tree')
const { ControlError, send } = require('../../lib/control')

/** @typedef {Map<number, any>} Snapshot what `edgewise status` says of boosting (docs/report-json.md), by process */

/**
 * @param {number} pid of the application: it and its cluster workers are asked
 * @returns {Promise<Snapshot>} of those that boost
 */
async function snapshot (pid) {
  const answers = await Promise.all(treeOf(pid).map(async (one) => [one, await boostOf(one)]))
  return new Map(/** @type {[number, any][]} */ (answers.filter(([, boost]) => boost)))
}

async function boostOf (pid) {
  try {
    return (await send(pid, 'status')).boost
  } catch (error) {
    if (error instanceof ControlError) return null // No edgewise in it: a program that the application has started.
    throw error
  }
}

/**
 * @param {Snapshot} before
 * @param {Snapshot} after
 * @returns {any[]} what each controller that was there all the time did between them; of reaction times, which are
 *   distributions, all since its start
 */
function between (before, after) {
  return [...after].flatMap(([pid, last]) => {
    const first = before.get(pid)
    return first ? [difference(first, last)] : []
  })
}

function difference (first, last) {
  return {
    ...last,
    elapsed_ns: last.elapsed_ns - first.elapsed_ns,
    residency_ns: subtract(last.residency_ns, first.residency_ns),
    energy: { ...last.energy, normalised: energyBetween(first, last) },
    boosts: last.boosts - first.boosts,
    reasons: Object.fromEntries(Object.entries(last.reasons).map(([name, of]) => [name, subtract(of, first.reasons[name] ?? { boosts: 0, boosted_ns: 0 })])),
    dropped_signals: last.dropped_signals - first.dropped_signals,
    set_errors: last.set_errors - first.set_errors
  }
}

// A normalised energy is a mean over the time that the levels were held.
function energyBetween (first, last) {
  const [t0, t1] = [first, last].map(({ residency_ns: { low, mid, high } }) => low + mid + high)
  return (last.energy.normalised * t1 - first.energy.normalised * t0) / (t1 - t0)
}

function subtract (a, b) {
  return Object.fromEntries(Object.keys(a).map((name) => [name, a[name] - b[name]]))
}

module.exports = { between, snapshot }
