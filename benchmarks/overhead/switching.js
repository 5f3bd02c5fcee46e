'use strict'

// Recording (or what else a variant makes of on and off) switched in one
// process, under one load. Two processes of the same program differ by more than it
// costs; the windows that are compared here share heap, compiled code and place
// in memory.

const { send } = require('../../lib/control')
const { saturate, withServer } = require('./cell')
const { VARIANTS } = require('./variants')

// Switching invalidates compiled code: not counted until it is compiled again.
const SETTLE_S = 0.6
const WINDOW_S = 0.6
const LOADED_OFF = /** @type {import('./variants').Variant} */ (VARIANTS.find(({ name }) => name === 'loaded-off'))

/** @typedef {{ off: number, aa: number, on: number }} Block main thread, µs a request; aa: off once more */

// Code that was compiled while recording was on is not what it was before: each
// state follows each other one equally often.
const ORDERS = /** @type {(keyof Block)[][]} */ ([
  ['off', 'aa', 'on'], ['aa', 'on', 'off'], ['on', 'off', 'aa'],
  ['on', 'aa', 'off'], ['aa', 'off', 'on'], ['off', 'on', 'aa']
])

/**
 * @param {Parameters<typeof withServer>[0]} server
 * @param {import('./cell').Settings} settings
 * @param {{ variant?: import('./variants').Variant, settleS?: number }} [what] variant: how the server is started, so
 *   that it follows `edgewise on` and `edgewise off`; settleS: how long after them nothing is counted
 * @returns {Promise<{ blocks: Block[] }>}
 */
async function measureSwitching (server, settings, { variant = LOADED_OFF, settleS = SETTLE_S } = {}) {
  return withServer(server, variant, settings, async (running, url) => {
    await saturate(running.pid, url, settings.warmup, settings)
    const blocks = []
    for (const order of ORDERS) {
      const block = { off: 0, aa: 0, on: 0 }
      for (const state of order) block[state] = await measureState(running, url, state, { ...settings, settleS })
      blocks.push(block)
    }
    return { blocks }
  })
}

async function measureState ({ pid, placeHelpers }, url, state, settings) {
  await send(pid, state === 'on' ? 'on' : 'off')
  placeHelpers()
  await saturate(pid, url, settings.settleS, settings)
  const { mainUs } = await saturate(pid, url, WINDOW_S, settings)
  return mainUs
}

module.exports = { measureSwitching, ORDERS, SETTLE_S, WINDOW_S }
