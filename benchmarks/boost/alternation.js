'use strict'

// One saturated server, in which something is switched on and off in short
// windows under a load that does not stop. Two servers at once on a processor
// (benchmarks/overhead/pair.js) would be more precise, but an event that the
// other one interrupts takes milliseconds: the loops would have something to
// boost.

const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { send } = require('../../lib/control')
const { TaskError } = require('../../scripts/tasks/step')
const { withServer } = require('../overhead/cell')
const { runLoad } = require('../shared/load')

// On a shared machine many short windows tell more than few long ones; much
// shorter ones would be told by the kernel's clock tick.
const SETTLE_MS = 30
const WINDOW_MS = 100
const ORDERS = /** @type {const} */ ([['off', 'on', 'on', 'off'], ['on', 'off', 'off', 'on']])
/** Under one load, A/A included; the generator keeps a sample of each request. */
const BLOCKS_PER_LOAD = 8
/** Ended before. */
const LOAD_S = 60

/**
 * @typedef {object} Block of four windows
 * @property {number} offUs main thread, µs a request, while it was off
 * @property {number} ratio of the windows in which it was on (A/A: in which it could have been) to the others
 * @property {boolean} control A/A: it was off in all four
 * @property {number} sleeps of the main thread in all four: none of a saturated server
 */

/**
 * @param {Parameters<typeof withServer>[0]} server
 * @param {import('../overhead/variants').Variant['start']} start so that it follows `edgewise on` and `edgewise off`
 * @param {import('../overhead/cell').Settings} settings
 * @param {number} blocks of each kind, a multiple of half of BLOCKS_PER_LOAD
 * @returns {Promise<Block[]>}
 * @throws {TaskError} when the load ends before
 */
function measureAlternation (server, start, settings, blocks) {
  return withServer(server, start, settings, async (running, url) => {
    /** @type {Block[]} */
    const measured = []
    while (measured.length < 2 * blocks) {
      // As in a server that is boosted from the start: its connections are accepted then.
      await switchTo(running, 'on')
      await underLoad(url, settings, async () => {
        for (let i = 0; i < BLOCKS_PER_LOAD; i++) measured.push(await measureBlock(running, ORDERS[(i >> 1) % 2], i % 2 === 1))
      })
    }
    return measured
  })
}

/**
 * @template T
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
async function underLoad (url, { connections, loadCpus, warmup }, task) {
  const end = new AbortController()
  const load = runLoad(url, ['--spin', '--closed', '--connections', String(connections), '--duration', String(LOAD_S)],
    { cpus: loadCpus, signal: end.signal }).then(() => {}, (error) => { if (!end.signal.aborted) throw error })
  try {
    await Promise.race([sleep(warmup * 1e3), load])
    return await task()
  } finally {
    end.abort()
    await load
  }
}

/** @returns {Promise<Block>} */
async function measureBlock (running, order, control) {
  const us = /** @type {{ on: number[], off: number[] }} */ ({ on: [], off: [] })
  let sleeps = 0
  for (const state of order) {
    const window = await measureWindow(running, control ? 'off' : state)
    us[state].push(window.us)
    sleeps += window.sleeps
  }
  const mean = (/** @type {number[]} */ [one, other]) => Math.sqrt(one * other)
  return { offUs: mean(us.off), ratio: mean(us.on) / mean(us.off), control, sleeps }
}

async function measureWindow (running, state) {
  await switchTo(running, state)
  await sleep(SETTLE_MS)
  const { pid } = running
  const before = spent(pid)
  await sleep(WINDOW_MS)
  const after = spent(pid)
  if (after.requests === before.requests) throw new TaskError(`The server (process ${pid}) got no request for ${WINDOW_MS} ms under a load without pause.`)
  return { us: (after.ns - before.ns) / (after.requests - before.requests) / 1e3, sleeps: after.sleeps - before.sleeps }
}

async function switchTo ({ pid, placeHelpers }, state) {
  await send(pid, state)
  if (state === 'on') placeHelpers() // It has begun a thread.
}

function spent (pid) {
  const of = (/** @type {string} */ name) => fs.readFileSync(`/proc/${pid}/task/${pid}/${name}`, 'utf8')
  const sleeps = Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(of('status'))?.[1])
  return { ns: Number(of('schedstat').split(' ')[0]), requests: exchanges(), sleeps }
}

/**
 * Of all programs of this machine: /proc/PID/io counts no calls that are of
 * sockets only, such as edgewise's.
 * @returns {number} requests and their responses, each one segment, since the machine began
 */
function exchanges () {
  const [names, values] = fs.readFileSync('/proc/net/netstat', 'utf8').split('\n').map((line) => line.split(' '))
  return Number(values[names.indexOf('TCPOrigDataSent')]) / 2
}

module.exports = { exchanges, measureAlternation }
