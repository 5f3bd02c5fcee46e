'use strict'

// Two servers of one round at once, of two builds, or of one with tracking on in
// one of them.

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { saturateBoth, withPair } = require('../overhead/pair')

/** @type {(keyof typeof import('../overhead/cell').SERVERS)[]} */
const SERVERS = ['hello', 'express']

/**
 * Which programs are compared: the second with the first. The two of `on` have
 * tracking on in turn, so that how the processes differ otherwise cancels out.
 */
const PAIRS = { aa: ['unpatched', 'aa'], off: ['unpatched', 'patched'], on: ['patched', 'patched'] }
const PRELOAD = path.join(__dirname, 'preload.js')

const SIGNAL_MS = 20

/**
 * @param {keyof typeof import('../overhead/cell').SERVERS} server
 * @param {string} pair of PAIRS
 * @param {number} round every second one starts the processes the other way around
 * @param {import('./layouts').Programs} programs
 * @param {import('../overhead/cell').Settings & { windows: number }} settings
 * @returns {Promise<{ base: number[], compared: number[] }>} main thread, µs a request, by window
 */
async function measurePair (server, pair, round, programs, settings) {
  const backwards = round % 2 === 1
  const starts = PAIRS[pair].map((variant) => () =>
    ({ node: programs[variant], args: ['--require', PRELOAD], env: { BENCHMARK_ADDON: programs.addon } }))
  return withPair(server, turned(starts, backwards), settings, (servers) =>
    watch(turned(servers, backwards), pair === 'on', settings))
}

const turned = (two, backwards) => backwards ? two.toReversed() : two

async function watch ([base, compared], switches, settings) {
  /** @type {{ base: number[], compared: number[] }} */
  const windows = { base: [], compared: [] }
  const take = async (servers) => {
    await saturateBoth(servers, settings.warmup, settings) // Compiled, after a switch anew.
    for (let i = 0; i < settings.windows; i++) {
      const [ofBase, ofCompared] = await saturateBoth(servers, settings.seconds, settings)
      windows.base.push(ofBase.mainUs)
      windows.compared.push(ofCompared.mainUs)
    }
  }
  if (switches) await toggle(compared)
  await take([base, compared])
  if (switches) {
    await toggle(compared)
    await toggle(base)
    await take([compared, base])
  }
  return windows
}

async function toggle ({ pid }) {
  process.kill(pid, 'SIGUSR2')
  await sleep(SIGNAL_MS)
}

module.exports = { PAIRS, SERVERS, measurePair }
