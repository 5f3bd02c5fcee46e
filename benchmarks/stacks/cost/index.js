'use strict'

// What edgewise's stacks cost servers whose events are short.

const { say } = require('../../../scripts/tasks/step')
const { measurePairs, WINDOWS } = require('../../overhead/pairs')
const { inOrder } = require('../../shared/rounds')
const { VARIANTS, withEdgewise } = require('../../overhead/variants')

const SERVERS = /** @type {const} */ (['express', 'fastify'])
/** Of a server: half as many as bench:overhead takes where that takes many. */
const MOST_WINDOWS = 6

/** @param {string} hz @param {string} name @param {string} text @returns {import('../../overhead/variants').Variant} */
const recording = (hz, name, text) => ({ name, text, start: withEdgewise({ EDGEWISE_STACKS: hz }) })

const WITHOUT = recording('0', 'without stacks', 'edgewise, EDGEWISE_STACKS=0, against no edgewise')

/**
 * What is compared with what; no base: with no edgewise.
 * @type {{ variant: import('../../overhead/variants').Variant, base?: import('../../overhead/variants').Variant }[]}
 */
const COMPARED = [
  { variant: { ...VARIANTS[1], text: 'no edgewise, twice (A/A)' } },
  { variant: WITHOUT },
  { variant: recording('100', 'with stacks', 'edgewise, EDGEWISE_STACKS=100, against no edgewise') },
  { variant: recording('100', 'stacks alone', 'edgewise, EDGEWISE_STACKS=100, against EDGEWISE_STACKS=0'), base: WITHOUT }
]

/** @typedef {(import('../../overhead/pairs').Pair & { server: string, variant: string })[]} Cost */

/**
 * @param {import('../../overhead/cell').Settings & { rounds: number }} settings
 * @returns {Promise<Cost>}
 */
async function measureCost (settings) {
  /** @type {Cost} */
  const cost = []
  for (let round = 0; round < settings.rounds; round++) {
    for (const server of SERVERS) {
      for (const { variant, base } of inOrder(COMPARED, round)) {
        const pairs = await measurePairs(server, variant, settings, { base, saturated: Math.min(MOST_WINDOWS, WINDOWS[server]) })
        cost.push(...pairs.map((pair) => ({ server, variant: variant.name, ...pair })))
      }
    }
    say(`cost of stacks: round ${round + 1} of ${settings.rounds} done`)
  }
  return cost
}

module.exports = { measureCost, COMPARED }
