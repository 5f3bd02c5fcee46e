'use strict'

// A variant beside the bare server: two processes that serve at the same time,
// each as it is from its start. (Recording that is switched on in a process
// costs more than it does from the start: V8 no longer finds one closure of
// each function, of which it takes the variables for constants.)

// @ts-ignore: the types are those of its ES module
const { geometricMean } = require('simple-statistics')
const { saturateBoth, withPair } = require('./pair')
const { VARIANTS } = require('./variants')

const WARMUP_S = 3
const WINDOWS = 3
const WINDOW_S = 1.2
/** A round, of each variant: the bare server is the first process of one, the second of the other. */
const PAIRS = 2

/**
 * @typedef {object} Pair
 * @property {number} offUs main thread of the bare server, µs a request
 * @property {number} ratio of the variant to it
 */

/**
 * @param {Parameters<typeof withPair>[0]} server
 * @param {import('./variants').Variant} variant
 * @param {import('./cell').Settings} settings
 * @returns {Promise<Pair[]>} PAIRS of them
 */
async function measurePairs (server, variant, settings) {
  const pairs = []
  for (let i = 0; i < PAIRS; i++) {
    const variants = i % 2 === 0 ? [VARIANTS[0], variant] : [variant, VARIANTS[0]]
    const windows = await withPair(server, variants.map(({ start }) => start), settings, (servers) => watch(servers, settings))
    pairs.push(pairOf(windows, i % 2))
  }
  return pairs
}

async function watch (servers, settings) {
  await saturateBoth(servers, WARMUP_S, settings)
  const windows = []
  for (let i = 0; i < WINDOWS; i++) windows.push(await saturateBoth(servers, WINDOW_S, settings))
  return windows
}

/**
 * @param {number[][]} windows main thread, µs a request, of each process
 * @param {number} bare which of the two is the bare server
 * @returns {Pair}
 */
function pairOf (windows, bare) {
  return {
    offUs: geometricMean(windows.map((us) => us[bare])),
    ratio: geometricMean(windows.map((us) => us[1 - bare] / us[bare]))
  }
}

module.exports = { measurePairs, pairOf, WARMUP_S, WINDOWS, WINDOW_S }
