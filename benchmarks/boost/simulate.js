'use strict'

// Policies over recorded traffic, simulated: npm run bench:boost -- --simulate.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { TaskError, say } = require('../../scripts/tasks/step')
const { BUILD } = require('../../scripts/tasks/tree')
const { findApp, prepare } = require('../apps/app')
const { FIRST, LOW, candidates } = require('./candidates')
const { leaveAppProcessor } = require('./place')
const { WARMUP_S, programOf, traceOf } = require('./traces')

const PROGRAM = path.join(BUILD, 'benchmarks', 'boost', 'edgewise-boost-simulation')
const FEW = 8
/** Tries to find how many times as much load keeps low as busy as was asked for. */
const TRIES = 3

/**
 * @typedef {import('./candidates').Candidate & { latency_ns: Record<string, number[]>, ratio: Record<string, number[]>,
 *   energy: number[], shares: number[], boosts_per_s: number, utilisation: number }} Outcome each number with its interval
 * @typedef {object} SimulatedApp
 * @property {string} app
 * @property {number} requests in its trace
 * @property {number} seconds
 * @property {number} load times as many requests as recorded
 * @property {Outcome[]} outcomes
 */

/**
 * @param {{ apps: string[], traces: string, load: number, replications: number, signal: AbortSignal }} settings
 * @returns {Promise<SimulatedApp[]>}
 */
async function simulate (settings) {
  leaveAppProcessor()
  const results = []
  for (const app of settings.apps) {
    const program = programOf(app)
    await prepare(findApp(program))
    const { directory } = await traceOf(app, settings)
    results.push(await simulateTrace(app, directory, settings))
  }
  return results
}

/** @returns {Promise<SimulatedApp>} */
async function simulateTrace (app, directory, { load: busy, replications, signal }) {
  const began = Date.now()
  const ask = (task) => run(directory, { skip_ns: WARMUP_S * 1e9, ...task }, signal)
  let load = 1
  for (let i = 0; i < TRIES; i++) {
    const { outcomes: [{ utilisation }] } = await ask({ load, replications: FEW, candidates: [LOW] })
    load *= busy / utilisation
  }
  const first = await ask({ load, replications, candidates: FIRST })
  const tailsNs = first.outcomes.map(({ latency_ns: { p999: [value] } }) => value)
  const all = candidates({ tailsNs, routes: first.routes })
  const { requests, seconds, outcomes } = await ask({ load, replications, candidates: all })
  say(`${app}: ${all.length} policies, ${replications} x ${requests} requests each (${((Date.now() - began) / 1e3).toFixed(0)} s)`)
  return { app, requests, seconds, load, outcomes: all.map((one, i) => ({ ...one, ...outcomes[i] })) }
}

/**
 * @param {string} directory of the trace
 * @param {any} task
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 * @throws {TaskError} with what the program said
 */
function run (directory, task, signal) {
  if (!fs.existsSync(PROGRAM)) throw new TaskError(`${PROGRAM} is not built. Next step: scripts/setup.`)
  return new Promise((resolve, reject) => {
    const child = execFile(PROGRAM, [directory], { signal }, (error, stdout, stderr) => {
      if (error) reject(signal.aborted ? signal.reason : new TaskError(`simulation of ${directory}: ${(stderr || error.message).trim()}`))
      else resolve(JSON.parse(stdout))
    })
    child.stdin?.on('error', () => {}) // It has ended, and says why.
    child.stdin?.end(JSON.stringify(task))
  })
}

module.exports = { simulate }
