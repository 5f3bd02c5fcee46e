'use strict'

// Records a server that runs in real time: what else the machine does, does
// not displace it, nor whom it asks, nor who asks it.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ROOT } = require('../../scripts/tasks/tree')
const { runApp, saturation } = require('../apps/run')
const { startedGroups } = require('../apps/service')
const { schedule, scheduleServer, GENERATOR_COMMAND, SERVICE_PRIORITY } = require('../shared/real-time')

const REGISTER = path.join(ROOT, 'lib', 'register.js')
const WARMUP_S = 3
const AS_IT_IS = 'as it is'

/**
 * What a recorded server answers at most, as it is and after each change that another server is needed for.
 * @returns {Promise<Map<string, number>>} requests a second, by cell; the first: as it is
 */
async function capacitiesOf (app, cells, signal) {
  const capacities = new Map()
  for (const { name, env, nodeArgs = [] } of [{ name: AS_IT_IS, env: {} }, ...cells.filter((cell) => cell.env || cell.nodeArgs)]) {
    const out = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-whatif-'))
    try {
      capacities.set(name, await saturation(app, { signal, nodeArgs: ['--require', REGISTER, ...nodeArgs], env: { ...env, EDGEWISE_OUT: out }, launcher: GENERATOR_COMMAND, onServing: inRealTime }))
    } finally {
      fs.rmSync(out, { recursive: true })
    }
  }
  return capacities
}

/** @returns {Promise<string>} the directory of the trace */
async function recorded (app, { rate, duration, seed, env = {}, nodeArgs = [], signal }) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-whatif-'))
  await runApp(app, {
    rate,
    durationS: duration,
    warmupS: WARMUP_S,
    seed,
    signal,
    nodeArgs: ['--require', REGISTER, ...nodeArgs],
    env: { ...env, EDGEWISE_OUT: out },
    say: () => {},
    launcher: GENERATOR_COMMAND,
    onServing: inRealTime
  })
  return out
}

/**
 * The application and all services: who is asked goes before who asks, as on a machine of its own.
 * @param {import('../apps/app').Running} running
 */
function inRealTime ({ pid }) {
  for (const leader of startedGroups()) {
    for (const member of membersOf(leader)) {
      if (leader === pid) scheduleServer(member)
      else schedule(member, ['--fifo'], SERVICE_PRIORITY)
    }
  }
}

/** @param {number} leader @returns {number[]} the processes of its group */
function membersOf (leader) {
  return execFileSync('pgrep', ['--pgroup', String(leader)], { encoding: 'utf8' }).trim().split('\n').map(Number)
}

module.exports = { AS_IT_IS, WARMUP_S, capacitiesOf, inRealTime, recorded }
