'use strict'

// Recording switched on and off in one process, under one load. Two processes
// of the same program differ by more than recording costs; the two windows that
// are compared here share heap, compiled code and place in memory.

const { send } = require('../../lib/control')
const { saturate, withServer } = require('./cell')
const { VARIANTS } = require('./variants')

// Switching invalidates compiled code: not counted until it is compiled again.
const SETTLE_S = 0.6
const WINDOW_S = 0.6

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
 * @returns {Promise<{ blocks: Block[] }>}
 */
async function measureSwitching (server, settings) {
  const variant = /** @type {import('./variants').Variant} */ (VARIANTS.find(({ name }) => name === 'loaded-off'))
  return withServer(server, variant, settings, async ({ pid }, url) => {
    await saturate(pid, url, settings.warmup, settings)
    const blocks = []
    for (const order of ORDERS) {
      const block = { off: 0, aa: 0, on: 0 }
      for (const state of order) block[state] = await measureState(pid, url, state, settings)
      blocks.push(block)
    }
    return { blocks }
  })
}

async function measureState (pid, url, state, settings) {
  await send(pid, state === 'on' ? 'on' : 'off')
  await saturate(pid, url, SETTLE_S, settings)
  const { mainUs } = await saturate(pid, url, WINDOW_S, settings)
  return mainUs
}

module.exports = { measureSwitching, ORDERS, SETTLE_S, WINDOW_S }
