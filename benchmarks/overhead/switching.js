'use strict'

// Recording switched on and off in one process, under one load. Two processes
// of the same program differ by more than recording costs; the two windows that
// are compared here share heap, compiled code and place in memory.

const { send } = require('../../lib/control')
const { saturate, withServer } = require('./cell')
const { VARIANTS } = require('./variants')

const BLOCKS = 4
// Switching invalidates compiled code: not counted until it is compiled again.
const SETTLE_S = 0.6
const WINDOW_S = 0.6

/** @typedef {{ off: number, aa: number, on: number }} Block main thread, µs a request; aa: off once more */

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
    for (let number = 0; number < BLOCKS; number++) {
      const block = { off: 0, aa: 0, on: 0 }
      for (const state of orderOf(number)) block[state] = await measureState(pid, url, state, settings)
      blocks.push(block)
    }
    return { blocks }
  })
}

// Each state comes first, in the middle and last equally often; `aa` and `on`
// follow `off` as often as they precede it.
function orderOf (number) {
  return /** @type {(keyof Block)[][]} */ ([['off', 'on', 'aa'], ['on', 'aa', 'off'], ['aa', 'off', 'on'], ['off', 'aa', 'on']])[number % BLOCKS]
}

async function measureState (pid, url, state, settings) {
  await send(pid, state === 'on' ? 'on' : 'off')
  await saturate(pid, url, SETTLE_S, settings)
  const { mainUs } = await saturate(pid, url, WINDOW_S, settings)
  return mainUs
}

module.exports = { measureSwitching, BLOCKS, SETTLE_S, WINDOW_S }
