'use strict'

// Which runs there are, and in which order. A run is known by its key: what a
// file of earlier results holds is not measured again.

const { NAMES, findApp } = require('../apps/app')
const { inOrder } = require('../shared/rounds')
const { DEFAULTS } = require('./arguments')
const { costsAreWhole } = require('./cost')
const { AGAIN, BASE, CLUSTER, EMULATED, POLICIES, REACTION, SENSITIVITY, findPolicy } = require('./policies')

/** In which one process serves all policies of an application and round, in turns (turns.js). */
const IN_TURNS = ['main', 'sensitivity']

/** What a recorded run is for: the propositions of section 4.4. */
const LEVELS = ['low', 'mid', 'high']

/** What is published: each page's sections are measured together, so that a page is of one machine. */
const PAGES = [
  { file: 'boost-results.md', title: 'Boosting, measured on an emulated frequency', sections: ['main', 'tuning', 'reaction', 'cost'] },
  { file: 'boost-variants.md', title: 'Boosting several workers, with slow transitions, and what its measurement stands on', sections: ['cluster', 'validation', 'sensitivity'] }
]

/** In a run, so that p99.9 is not the slowest one: an application that answers few a second is loaded for longer. */
const LEAST_REQUESTS = 2000

/**
 * @typedef {object} Run
 * @property {string} section
 * @property {string} app
 * @property {string} policy
 * @property {string} actuator
 * @property {number} delayUs of transitions
 * @property {number} workers
 * @property {boolean} recorded
 * @property {number} round
 */

/**
 * @param {{ apps: string[], policies: string[], sections: string[], runs: number, delaysUs: number[], workers: number }} options
 * @param {Record<string, string[]>} tuning flags by application
 * @returns {Run[][]} by round, in the order of measuring
 */
function rounds ({ apps, policies, sections, runs, delaysUs, workers }, tuning) {
  const usual = { actuator: EMULATED, delayUs: 0, workers: 1, recorded: false }
  const variants = {
    main: () => policies.filter((policy) => !findPolicy(policy).tuned).map((policy) => ({ ...usual, policy })),
    tuning: (app) => app in tuning ? [BASE, ...policies.filter((policy) => findPolicy(policy).tuned)].map((policy) => ({ ...usual, policy })) : [],
    cluster: (app) => findApp(app).workers.at(-1) === 1 ? [] : CLUSTER.map((policy) => ({ ...usual, policy, workers })),
    validation: () => LEVELS.map((policy) => ({ ...usual, policy, recorded: true })),
    sensitivity: () => [{ ...usual, policy: BASE },
      ...SENSITIVITY.flatMap((policy) => [0, ...delaysUs].map((delayUs) => ({ ...usual, policy, delayUs })))],
    reaction: () => [{ ...usual, policy: REACTION, actuator: 'log' }]
  }
  const ofApps = sections.filter((section) => section in variants)
  return Array.from({ length: runs }, (_, round) => ofApps.flatMap((section) => apps.flatMap((app) => {
    const of = variants[section](app)
    return of.length === 0 ? [] : inOrder(apart(of), round).map((variant) => ({ section, app, ...variant, round }))
  })))
}

/**
 * @param {Run[]} runs in the order of measuring
 * @returns {Run[][]} those that one process serves together
 */
function processes (runs) {
  /** @type {Run[][]} */
  const groups = []
  for (const run of runs) {
    const [last] = groups.at(-1) ?? []
    const together = IN_TURNS.includes(run.section) && last?.section === run.section && last.app === run.app
    if (together) groups.at(-1)?.push(run)
    else groups.push([run])
  }
  return groups
}

// The base measured again is as far from it as any policy may be: what the
// machine does meanwhile is in their difference.
function apart (variants) {
  const others = variants.filter(({ policy }) => policy !== AGAIN)
  const middle = Math.ceil(others.length / 2)
  return [...others.slice(0, middle), ...variants.filter(({ policy }) => policy === AGAIN), ...others.slice(middle)]
}

/** @param {Run} run */
function keyOf ({ section, app, policy, delayUs, round }) {
  return [section, app, policy, delayUs, round].join(' ')
}

/** @param {{ app: string, workers: number }} run which has a rate of requests of its own */
function rateKeyOf ({ app, workers }) {
  return workers === 1 ? app : `${app} x${workers}`
}

/**
 * @param {Run[]} runs
 * @param {Run[]} cells measured already
 */
function missing (runs, cells) {
  const known = new Set(cells.map(keyOf))
  return runs.filter((run) => !known.has(keyOf(run)))
}

/**
 * @param {{ plan: { delaysUs: number[], workers: number }, cells: any[], costs: import('./cost').Cost[], fidelity?: any }} results
 * @param {Record<string, string[]>} tuning
 * @param {string[]} sections of a page
 * @returns {boolean} whether everything that the published page tells was measured, often enough
 */
function isWhole ({ plan, cells, costs, fidelity }, tuning, sections) {
  const all = rounds({ ...plan, apps: NAMES, policies: POLICIES.map(({ name }) => name), sections, runs: DEFAULTS.runs }, tuning)
  return fidelity !== undefined && (!sections.includes('cost') || costsAreWhole(costs, DEFAULTS.runs)) && missing(all.flat(), cells).length === 0
}

module.exports = { IN_TURNS, LEAST_REQUESTS, LEVELS, PAGES, isWhole, keyOf, missing, processes, rateKeyOf, rounds }
