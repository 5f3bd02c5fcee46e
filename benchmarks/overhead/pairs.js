'use strict'

// A variant beside the bare server: two processes that serve at the same time,
// each as it is from its start. (Recording that is switched on in a process
// costs more than it does from the start: V8 no longer finds one closure of
// each function, of which it takes the variables for constants.)

// @ts-ignore: the types are those of its ES module
const { geometricMean, mean, sum } = require('simple-statistics')
const { LOAD_SHARE } = require('./cell')
const { residentMb } = require('./memory')
const { loadBoth, saturateBoth, withPair } = require('./pair')
const { VARIANTS } = require('./variants')

const WARMUP_S = 3
/** By server. How much Express collects differs from one to the next: their ratio's standard deviation is 3 %. */
const WINDOWS = { hello: 3, express: 12, fastify: 3 }
const WINDOW_S = 1.2
/** Of variants whose tail is compared. */
const OPEN_WINDOWS = 6
const OPEN_WINDOW_S = 2
/** A round, of each variant: the bare server is the first process of one, the second of the other. */
const PAIRS = 2

/** @typedef {{ off: number, ratio: number }} Compared the bare server's, and the variant's against it */

/**
 * @typedef {object} Pair
 * @property {Compared} mainUs main thread, µs a request
 * @property {Compared} ratePerS requests answered, of the two on one processor
 * @property {Compared} [memoryMb] resident, when they have been saturated
 * @property {Compared} [p999Us] at LOAD_SHARE, of both together, from the intended send time; of variants with `tail`
 */

/**
 * @param {Parameters<typeof withPair>[0]} server
 * @param {import('./variants').Variant} variant
 * @param {import('./cell').Settings} settings
 * @param {{ base?: import('./variants').Variant, saturated?: number }} [options] base: what it is compared with, in place
 *   of the bare server; saturated: how many windows, in place of the server's
 * @returns {Promise<Pair[]>} PAIRS of them
 */
async function measurePairs (server, variant, settings, { base = VARIANTS[0], saturated = WINDOWS[server] } = {}) {
  const pairs = []
  for (let i = 0; i < PAIRS; i++) {
    const variants = i % 2 === 0 ? [base, variant] : [variant, base]
    const counts = { saturated, open: variant.tail ? OPEN_WINDOWS : 0 }
    const windows = await withPair(server, variants.map(({ start }) => start), settings, (servers) => watch(servers, counts, settings))
    pairs.push(pairOf(windows, i % 2))
  }
  return pairs
}

async function watch (servers, counts, settings) {
  await saturateBoth(servers, WARMUP_S, settings)
  /** @type {Windows} */
  const windows = { saturated: [], open: [], memoryMb: [] }
  for (let i = 0; i < counts.saturated; i++) windows.saturated.push(await saturateBoth(servers, WINDOW_S, settings))
  windows.memoryMb = [servers.map(({ pid }) => residentMb(pid))]
  // Of what they have just answered: the machine may be slower than a while ago.
  const ratePerS = LOAD_SHARE * mean(windows.saturated.map((both) => sum(both.map(({ ratePerS }) => ratePerS))))
  for (let i = 0; i < counts.open; i++) windows.open.push(await loadBoth(servers, ratePerS, OPEN_WINDOW_S, settings))
  return windows
}

/** @typedef {{ saturated: import('./cell').Window[][], open: import('./pair').Tail[][], memoryMb?: number[][] }} Windows of each process */

/**
 * @param {Windows} windows
 * @param {number} bare which of the two is the bare server
 * @returns {Pair}
 */
function pairOf ({ saturated, open, memoryMb = [] }, bare) {
  const compare = (windows, of) => ({
    off: geometricMean(windows.map((both) => of(both[bare]))),
    ratio: geometricMean(windows.map((both) => of(both[1 - bare]) / of(both[bare])))
  })
  return {
    mainUs: compare(saturated, ({ mainUs }) => mainUs),
    ratePerS: compare(saturated, ({ ratePerS }) => ratePerS),
    ...memoryMb.length && { memoryMb: compare(memoryMb, (mb) => mb) },
    ...open.length && { p999Us: compare(open, ({ latencyUs }) => latencyUs.p999) }
  }
}

module.exports = { measurePairs, pairOf, OPEN_WINDOWS, OPEN_WINDOW_S, WARMUP_S, WINDOWS, WINDOW_S }
