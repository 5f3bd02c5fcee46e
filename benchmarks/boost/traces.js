'use strict'

// Recordings that policies are simulated on: at full speed, since what a level
// does to them is simulated, and at the rate of the emulated runs.

const fs = require('node:fs')
const path = require('node:path')
const { say } = require('../../scripts/tasks/step')
const { runApp, saturation } = require('../apps/run')
const { GENERATOR_COMMAND } = require('../shared/real-time')
const { inRealTime } = require('../whatif/record')
const synthetic = require('../whatif/synthetic')
const { APP_CPU } = require('./place')
const { BASE, REGISTER, SYNTHETIC, startOf } = require('./policies')

/** In a trace, so that its p99.9 is not the slowest of them. */
const REQUESTS = 10_000
const LONGEST_S = 150
const WARMUP_S = 5
const FACTS = 'rate.json'

/** @param {string} name */
function programOf (name) {
  return name === SYNTHETIC ? synthetic : name
}

/**
 * Records what is not in the directory yet.
 * @param {string} name of an application
 * @param {{ traces: string, load: number, signal: AbortSignal }} settings
 * @returns {Promise<{ directory: string, ratePerS: number }>}
 */
async function traceOf (name, { traces, load, signal }) {
  const directory = path.join(traces, name)
  const facts = path.join(directory, FACTS)
  if (fs.existsSync(facts)) return { directory, ...JSON.parse(fs.readFileSync(facts, 'utf8')) }
  fs.rmSync(directory, { recursive: true, force: true })
  const app = programOf(name)
  const low = startOf(BASE, {})
  const saturated = await saturation(app, { ...low, cpus: APP_CPU, signal })
  const ratePerS = Math.max(1, Math.round(load * saturated))
  const durationS = Math.min(LONGEST_S, Math.ceil(REQUESTS / ratePerS))
  say(`${name}: ${ratePerS} requests/s, ${Math.round(100 * load)} % of its saturation at the low frequency, recorded for ${durationS} s`)
  await runApp(app, {
    rate: ratePerS,
    durationS,
    warmupS: WARMUP_S,
    signal,
    cpus: APP_CPU,
    nodeArgs: ['--require', REGISTER],
    env: { EDGEWISE_OUT: directory },
    say: () => {},
    launcher: GENERATOR_COMMAND,
    onServing: inRealTime
  })
  fs.writeFileSync(facts, JSON.stringify({ ratePerS }))
  return { directory, ratePerS }
}

module.exports = { WARMUP_S, programOf, traceOf }
