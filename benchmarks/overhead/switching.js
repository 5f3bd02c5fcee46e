'use strict'

// Recording switched in two processes that serve at the same time: on in one,
// then in the other. How the two differ otherwise, by more than it costs,
// cancels out.

// @ts-ignore: the types are those of its ES module
const { geometricMean } = require('simple-statistics')
const { send } = require('../../lib/control')
const { saturateBoth, withPair } = require('./pair')
const { SWITCHED } = require('./variants')

// Switching invalidates compiled code: not counted until it is compiled again.
const SETTLE_S = 1.2
const WINDOW_S = 0.6

/**
 * @typedef {object} Block
 * @property {number} offUs main thread, µs a request, with neither on
 * @property {number} on ratio of on to off
 * @property {number} aa the same ratio, of windows in which neither is on
 */

// Who is on, window by window. Each state follows each other one.
const ORDERS = /** @type {('none' | 'first' | 'second')[][]} */ ([
  ['none', 'second', 'first', 'none'], ['second', 'none', 'none', 'first'],
  ['none', 'first', 'second', 'none'], ['first', 'none', 'none', 'second']
])

/**
 * @param {Parameters<typeof withPair>[0]} server
 * @param {string} variant that they are when recording is on
 * @param {import('./cell').Settings} settings
 * @returns {Promise<{ blocks: Block[] }>}
 */
function measureSwitching (server, variant, settings) {
  return withPair(server, [SWITCHED[variant], SWITCHED[variant]], settings, async (servers) => {
    await saturateBoth(servers, settings.warmup, settings)
    const blocks = []
    for (const order of ORDERS) {
      const windows = []
      for (const who of order) windows.push({ who, us: await measureState(servers, who, settings) })
      blocks.push(blockOf(windows))
    }
    return { blocks }
  })
}

/**
 * @param {{ who: string, us: number[] }[]} windows of one order: two with neither on, one with each
 * @returns {Block}
 */
function blockOf (windows) {
  const of = (who) => windows.filter((window) => window.who === who).map(({ us }) => us)
  const [[first], [second], none] = [of('first'), of('second'), of('none')]
  const ratio = (inSecond, inFirst) => Math.sqrt((inSecond[1] / inSecond[0]) * (inFirst[0] / inFirst[1]))
  return { offUs: geometricMean(none.flat()), on: ratio(second, first), aa: ratio(none[0], none[1]) }
}

async function measureState (servers, who, settings) {
  for (const [index, { pid, placeHelpers }] of servers.entries()) {
    await send(pid, who === ['first', 'second'][index] ? 'on' : 'off')
    placeHelpers()
  }
  await saturateBoth(servers, SETTLE_S, settings)
  return saturateBoth(servers, WINDOW_S, settings)
}

module.exports = { blockOf, measureSwitching, ORDERS, SETTLE_S, WINDOW_S }
