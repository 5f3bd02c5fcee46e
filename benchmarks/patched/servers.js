'use strict'

// One server of a round: a fresh process, saturated; on the patched Node then
// with tracking on and off in turn.

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { saturate, withServer } = require('../overhead/cell')
const { ORDER } = require('./turns')
const { nodeOf } = require('./builds')

/** @type {(keyof typeof import('../overhead/cell').SERVERS)[]} */
const SERVERS = ['hello', 'express']
const PRELOAD = path.join(__dirname, 'preload.js')

/** Switching throws code away: not counted until it is compiled again. */
const SETTLE_S = 1
const SIGNAL_MS = 20

/** @typedef {{ us: number, perS: number }} Window main thread, µs a request; requests/s */

/**
 * @param {keyof typeof import('../overhead/cell').SERVERS} server
 * @param {string} variant
 * @param {import('./builds').Builds} builds
 * @param {import('../overhead/cell').Settings} settings
 * @returns {Promise<{ first: Window, off: Window[], on: Window[] }>}
 */
async function measureServer (server, variant, builds, settings) {
  const start = () => ({
    node: nodeOf(builds, variant),
    args: ['--require', PRELOAD],
    env: { BENCHMARK_ADDON: builds.addon }
  })
  return withServer(server, { name: variant, text: '', start }, settings, async ({ pid }, url) => {
    await saturate(pid, url, settings.warmup, settings)
    const first = await watch(pid, url, settings)
    /** @type {{ off: Window[], on: Window[] }} */
    const turns = { off: [], on: [] }
    if (variant !== 'patched') return { first, ...turns }
    for (const state of ORDER) {
      process.kill(pid, 'SIGUSR2') // on, or off again
      await sleep(SIGNAL_MS)
      await saturate(pid, url, SETTLE_S, settings)
      turns[state].push(await watch(pid, url, settings))
    }
    return { first, ...turns }
  })
}

/** @returns {Promise<Window>} */
async function watch (pid, url, settings) {
  const { mainUs, ratePerS } = await saturate(pid, url, settings.seconds, settings)
  return { us: mainUs, perS: ratePerS }
}

module.exports = { SERVERS, SETTLE_S, measureServer }
