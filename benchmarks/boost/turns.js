'use strict'

// One process of an application, in which static low and the policies take
// turns. On a shared machine two processes, one after the other, differ by more
// than what is to be measured. All turns of a round meet the same data, arrivals
// and requests, and begin with a collected heap, so that a full collection does
// not come in one and in the next by chance.
//
// A turn is compared with all low turns of its process. They tell another low
// turn better (of the logarithm of p99.9 their mean is 0.34 off, root mean
// square of 108 turns) than the two beside it do (0.39): turns differ by chance,
// much less by when they are.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
// @ts-ignore: the types are those of its ES module
const { mean } = require('simple-statistics')
const { send } = require('../../lib/control')
const { loadOn, withApp } = require('../apps/run')
const { threadTimes, timesBetween } = require('../shared/thread-cpu')
const { clientOf, latencyOf, readSamples } = require('../results/cell')
const { statsBetween, together } = require('./cell')
const { isSlow, unslowed } = require('./machine-speed')
const { APP_CPU } = require('./place')
const { BASE, startOf } = require('./policies')
const { snapshot } = require('./window')

/** In a turn, beyond which its p99.9 is the slowest of them. */
const LEAST_REQUESTS = 1000
// A policy must come to know the load before it counts: `slo` 200 requests.
const SETTLE_S = 2
const SETTLE_REQUESTS = 300
const MOST_SETTLE_S = 5
/** A loop in overload answers late. */
const ANSWER_MS = 30_000
const ALWAYS_HIGHER = ['mid', 'high']
/** Policies between two low turns: half of the time would go to low turns if it were one. */
const BETWEEN = 2
const LOW = -1

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
 * @returns {Promise<any[]>} by run what measureRun() of cell.js returns of client, intended and boost, and `bases`: the same of each
 *   low turn; `turns`: how many, and `slow`: how many of them found a slow machine in all attempts. Of static low itself all of its turns
 *   together, and no bases
 */
async function measureTurns (runs, known, settings) {
  const [{ app, actuator }] = runs
  const low = startOf(BASE, {}, { actuator }).env
  const others = runs.flatMap((run, i) => run.policy === BASE ? [] : [{ run, env: startOf(run.policy, known[i], run).env }])
  const order = turnsOf(others.length)
  const turns = await takeTurns(app, order.map((other) => other === LOW ? low : others[other].env), { ...settings, seed: runs[0].round + 1 })
  const base = runs.find(({ policy }) => policy === BASE)
  const lows = turns.filter((_, i) => order[i] === LOW)
  const bases = lows.map((turn) => tell([turn]))
  return [
    ...base ? [{ ...base, ...tell(lows) }] : [],
    ...others.map(({ run }, i) => ({ ...run, ...tell([turns[order.indexOf(i)]]), bases }))
  ]
}

/**
 * @param {number} others policies but static low
 * @returns {number[]} whose turn it is: one of them, or LOW, which is first, last and after every BETWEEN of them
 */
function turnsOf (others) {
  const order = [LOW]
  for (let i = 0; i < others; i++) {
    order.push(i)
    if (i % BETWEEN === BETWEEN - 1 || i === others - 1) order.push(LOW)
  }
  return order
}

function takeTurns (app, envs, { ratePerS, turn, warmup, seed, signal }) {
  const { settleS, turnS } = secondsOf({ ratePerS, turn })
  const options = { cpus: APP_CPU, nodeArgs: ['--require', path.join(__dirname, 'switched.js')], env: { EDGEWISE_ENABLED: '0' }, signal }
  return withApp(app, options, async (running, context) => {
    const load = (seconds) => loadOn(app, running, context, { ...seconds, rate: ratePerS, seed, stamps: true })
    await switchTo(running.pid, envs[0])
    if (warmup > 0) await load({ durationS: warmup })
    const take = async (env) => {
      await running.reset()
      return takeTurn(app, running.pid, env, (samples) => load({ warmupS: settleS, durationS: turnS, samples }))
    }
    await take(envs[0]) // A rehearsal: V8 has compiled all by then.
    const speeds = new Map()
    const turns = []
    for (const env of envs) turns.push(await takeUnslowed(app, speeds, env.EDGEWISE_BOOST, () => take(env)))
    return turns
  })
}

// The same requests take as much of the processor: what they take tells how fast
// the machine was meanwhile. At a frequency that is always higher they take less
// of it, since no thief interrupts them.
/**
 * @param {string} app
 * @param {Map<string, number[]>} speeds by level, of the turns so far
 * @param {string} boost
 * @param {() => Promise<Turn>} take
 * @returns {Promise<Turn>}
 */
async function takeUnslowed (app, speeds, boost, take) {
  const level = ALWAYS_HIGHER.includes(boost) ? boost : BASE
  const alike = speeds.get(level) ?? []
  speeds.set(level, alike)
  const wasSlow = ({ perCpuS }) => {
    alike.push(perCpuS)
    return isSlow(perCpuS, alike)
  }
  const { result, slow } = await unslowed(`${app}, ${boost}`, take, wasSlow,
    ({ perCpuS }) => ` (${perCpuS.toFixed(0)} requests a second of the processor, ${Math.max(...alike).toFixed(0)} before)`)
  return { ...result, slow }
}

/**
 * @typedef {object} Turn
 * @property {import('../results/cell').Sample[]} samples
 * @property {any[]} stats of the controllers
 * @property {number} errors
 * @property {boolean} lagged the load generator itself was late
 * @property {number} perCpuS requests for each second that the main thread ran
 * @property {boolean} [slow] that was slow
 */

/** @returns {Promise<Turn>} */
async function takeTurn (app, pid, env, load) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-turn-'))
  try {
    const file = path.join(scratch, 'samples.csv')
    await switchTo(pid, env)
    const [before, began] = [await snapshot(pid), threadTimes(pid)]
    const { errors, non_2xx: refused, unexpected, lag_flagged: lagged, answered_total: answered } = await load(file)
    const { mainNs } = timesBetween(began, threadTimes(pid))
    const stats = statsBetween(app, before, await snapshot(pid))
    return { samples: readSamples(file), stats, errors: errors + refused + unexpected, lagged, perCpuS: answered / (mainNs / 1e9) }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** @param {Turn[]} turns as one */
function tell (turns) {
  const { latencies, intended } = clientOf(turns.flatMap(({ samples }) => samples))
  return {
    requests: latencies.length,
    errors: turns.reduce((sum, { errors }) => sum + errors, 0),
    lagged: turns.some(({ lagged }) => lagged),
    turns: turns.length,
    slow: turns.filter(({ slow }) => slow).length,
    perCpuS: mean(turns.map(({ perCpuS }) => perCpuS)),
    client: latencyOf(latencies),
    intended: latencyOf(intended),
    boost: together(turns.flatMap(({ stats }) => stats))
  }
}

function switchTo (pid, env) {
  return send(pid, 'on', { details: { env, collected: true }, timeoutMs: ANSWER_MS })
}

module.exports = { LEAST_REQUESTS, LOW, measureTurns, secondsOf, turnsOf }
