'use strict'

// One process of an application, in which static low and the policies take
// turns under a load that does not stop. On a shared machine two processes, one
// after the other, differ by more than what is to be measured; a policy and the
// low turns just before and after it meet the same machine, and the same data.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { send } = require('../../lib/control')
const { TaskError } = require('../../scripts/tasks/step')
const { runApp } = require('../apps/run')
const { clientOf, latencyOf, readSamples } = require('../results/cell')
const { statsBetween, together } = require('./cell')
const { APP_CPU } = require('./place')
const { BASE, startOf } = require('./policies')
const { snapshot } = require('./window')

/** In a turn, beyond which its p99.9 is the slowest of them. */
const LEAST_REQUESTS = 1000
// A policy must come to know the load before it counts: `slo` 200 requests.
const SETTLE_S = 2
const SETTLE_REQUESTS = 300
const MOST_SETTLE_S = 5
// What it takes to switch, at most, while the loop is busy.
const SWITCH_S = 0.5
const SPARE_S = 5
/** A loop in overload answers late. */
const ANSWER_MS = 30_000

/**
 * @typedef {object} Turn
 * @property {number} fromNs CLOCK_MONOTONIC, as the samples'
 * @property {number} toNs
 * @property {any[]} stats of its controllers
 */

/** @param {{ ratePerS: number, turn: number }} settings turn: seconds measured, at least */
function secondsOf ({ ratePerS, turn }) {
  return {
    settleS: Math.min(Math.max(SETTLE_S, Math.ceil(SETTLE_REQUESTS / ratePerS)), MOST_SETTLE_S),
    turnS: Math.max(turn, Math.ceil(LEAST_REQUESTS / ratePerS))
  }
}

/**
 * @param {import('./plan').Run[]} runs of one application and round
 * @param {import('./policies').Known[]} known of each
 * @param {{ ratePerS: number, turn: number, warmup: number, signal: AbortSignal }} settings
 * @returns {Promise<any[]>} by run what measureRun() of cell.js returns of client, intended and boost, and `bases`: the same of the
 *   two low turns around it. Of static low itself all of its turns together, and no bases
 * @throws {TaskError} when the load ended before the last turn
 */
async function measureTurns (runs, known, settings) {
  const [{ app }] = runs
  const low = startOf(BASE, {}, { actuator: runs[0].actuator }).env
  const others = runs.flatMap((run, i) => run.policy === BASE ? [] : [{ run, env: startOf(run.policy, known[i], run).env }])
  const envs = [low, ...others.flatMap(({ env }) => [env, low])]
  const { load, turns, samples } = await underLoad(app, envs, { ...settings, seed: runs[0].round + 1 })
  const told = turns.map((turn) => tellOf([turn], samples))
  const base = runs.find(({ policy }) => policy === BASE)
  const cells = [
    ...base ? [{ ...base, ...tellOf(turns.filter((_, i) => i % 2 === 0), samples) }] : [],
    ...others.map(({ run }, i) => ({ ...run, ...told[2 * i + 1], bases: [told[2 * i], told[2 * i + 2]] }))
  ]
  // Whose they were is not told apart: they are the first one's.
  const errors = load.errors + load.non_2xx + load.unexpected
  return cells.map((cell, i) => ({ ...cell, lagged: load.lag_flagged, errors: i === 0 ? errors : 0 }))
}

async function underLoad (app, envs, { ratePerS, turn, warmup, seed, signal }) {
  const { settleS, turnS } = secondsOf({ ratePerS, turn })
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-turns-'))
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  /** @type {Turn[] | undefined} */
  let turns
  try {
    const file = path.join(scratch, 'samples.csv')
    const { load } = await runApp(app, {
      rate: ratePerS,
      durationS: envs.length * (settleS + turnS + SWITCH_S) + SPARE_S,
      warmupS: warmup,
      seed,
      samples: file,
      stamps: true,
      cpus: APP_CPU,
      nodeArgs: ['--require', path.join(__dirname, 'switched.js')],
      env: { EDGEWISE_ENABLED: '0' },
      onServing: async ({ pid }) => {
        await switchTo(pid, envs[0])
        sleep(warmup * 1e3, undefined, { signal: either })
          .then(() => takeTurns(app, pid, envs, { settleS, turnS, signal: either }))
          .then((taken) => { turns = taken }, (error) => failed.abort(error))
      },
      onLoaded: () => { if (!turns) throw new TaskError(`${app}: the load ended before the last turn`) },
      say: () => {},
      signal: either
    })
    return { load, turns: /** @type {Turn[]} */ (/** @type {unknown} */ (turns)), samples: readSamples(file) }
  } finally {
    failed.abort()
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** @returns {Promise<Turn[]>} */
async function takeTurns (app, pid, envs, { settleS, turnS, signal }) {
  const turns = []
  for (const env of envs) {
    await switchTo(pid, env)
    await sleep(settleS * 1e3, undefined, { signal })
    const [before, fromNs] = [await snapshot(pid), nowNs()]
    await sleep(turnS * 1e3, undefined, { signal })
    const [toNs, after] = [nowNs(), await snapshot(pid)]
    turns.push({ fromNs, toNs, stats: statsBetween(app, before, after) })
  }
  return turns
}

function switchTo (pid, env) {
  return send(pid, 'on', { details: { env }, timeoutMs: ANSWER_MS })
}

/**
 * @param {Turn[]} turns
 * @param {import('../results/cell').Sample[]} samples
 */
function tellOf (turns, samples) {
  const own = samples.filter(({ sentNs }) => turns.some(({ fromNs, toNs }) => sentNs >= fromNs && sentNs < toNs))
  const { latencies, intended } = clientOf(own)
  return {
    requests: own.length,
    client: latencyOf(latencies),
    intended: latencyOf(intended),
    boost: together(turns.flatMap(({ stats }) => stats))
  }
}

function nowNs () {
  return Number(process.hrtime.bigint())
}

module.exports = { LEAST_REQUESTS, measureTurns, secondsOf }
