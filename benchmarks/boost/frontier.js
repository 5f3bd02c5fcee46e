'use strict'

// Which policy buys more of the tail for the same energy, of simulated ones.

// @ts-ignore: the types are those of its ES module
const { mean } = require('simple-statistics')

/** @typedef {import('./simulate').SimulatedApp} SimulatedApp */
/** @typedef {{ setting: string, energy: number, ratio: number, off: number }} Point ratio: of low's p99.9; off: half its interval */

const RIVALS = ['combined', 'rubik', 'adrenaline']
const LOW_POINT = { setting: 'low', energy: 1, ratio: 1, off: 0 }

/** @param {SimulatedApp} app @param {string} family @returns {Point[]} */
function pointsOf ({ outcomes }, family) {
  return outcomes.filter((one) => one.family === family)
    .map(({ setting, energy: [energy], ratio: { p999: [ratio, low, high] } }) => ({ setting, energy, ratio, off: (high - low) / 2 }))
}

/** @param {Point[]} points @returns {Point[]} those that no other beats in one respect without being worse in the other, by energy */
function frontierOf (points) {
  let best = Infinity
  return [LOW_POINT, ...points].sort((a, b) => a.energy - b.energy || a.ratio - b.ratio).filter(({ ratio }) => {
    if (ratio >= best) return false
    best = ratio
    return true
  })
}

/**
 * What a frontier has at an energy: between two settings, the one for a part of the time.
 * @param {Point[]} frontier
 * @param {number} energy at least 1
 * @returns {{ ratio: number, off: number }}
 */
function at (frontier, energy) {
  const next = frontier.findIndex((point) => point.energy > energy)
  if (next <= 0) return frontier[next === 0 ? 0 : frontier.length - 1]
  const [a, b] = [frontier[next - 1], frontier[next]]
  const part = (energy - a.energy) / (b.energy - a.energy)
  return { ratio: Math.exp(Math.log(a.ratio) * (1 - part) + Math.log(b.ratio) * part), off: Math.max(a.off, b.off) }
}

/**
 * Each rival's setting against slo with as much energy.
 * @param {SimulatedApp} app
 * @returns {{ family: string, setting: string, energy: number, ratio: number, slo: number, verdict: 'better' | 'alike' | 'worse' }[]}
 *   verdict on slo; alike: the intervals meet
 */
function duels (app) {
  const slo = frontierOf(pointsOf(app, 'slo'))
  return RIVALS.flatMap((family) => pointsOf(app, family).map((point) => {
    const own = at(slo, point.energy)
    const gap = point.ratio - own.ratio
    const verdict = Math.abs(gap) <= point.off + own.off ? 'alike' : gap > 0 ? 'better' : 'worse'
    return { family, setting: point.setting, energy: point.energy, ratio: point.ratio, slo: own.ratio, verdict }
  }))
}

/**
 * @param {SimulatedApp[]} apps
 * @param {string} family
 * @param {string} setting
 * @returns {{ energy: number, ratio: number } | undefined} means over the applications, the ratio's geometric; undefined: not all have it
 */
function meanPoint (apps, family, setting) {
  const points = apps.flatMap((app) => pointsOf(app, family).filter((point) => point.setting === setting))
  if (points.length < apps.length || points.length === 0) return undefined
  return { energy: mean(points.map(({ energy }) => energy)), ratio: Math.exp(mean(points.map(({ ratio }) => Math.log(ratio)))) }
}

module.exports = { RIVALS, at, duels, frontierOf, meanPoint, pointsOf }
