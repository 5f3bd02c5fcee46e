'use strict'

// What boosting costs when nothing gains from it: servers at saturation, their
// queue as long as ever, in which it is switched on and off. The actuator
// changes nothing: what is measured is the signals and the controller.

const path = require('node:path')
const { installServers } = require('../overhead/install')
const { measureAlternation } = require('./alternation')

const SERVERS = /** @type {const} */ (['hello', 'express'])
const PROCESSES_PER_ROUND = 4
const BLOCKS = 24
// So many connections that the server has work enough when the controller's
// thread takes the generator's processor: with 64, a loop that slept at times
// made more of its system calls for fewer requests, and seemed up to 22 % dearer.
const SETTINGS = { serverCpus: '0', helperCpus: '0,1', loadCpus: '1', connections: 256, seconds: 0, warmup: 2 }
const BOOST = 'gc,queue'

/** @typedef {{ server: string, round: number, blocks: import('./alternation').Block[] }} Cost of one process */

/**
 * @param {{ costs: Cost[] }} results gets what it lacks
 * @param {{ runs: number, signal: AbortSignal }} options signal: looked at before each process
 * @param {(one: string) => void} measured called after each process, with its name
 */
async function measureCosts ({ costs }, { runs, signal }, measured) {
  const processes = PROCESSES_PER_ROUND * runs
  const settings = { ...SETTINGS, servers: await installServers() }
  for (let round = 0; round < processes; round++) {
    for (const server of SERVERS) {
      if (isKnown(costs, server, round)) continue
      signal.throwIfAborted()
      costs.push({ server, round, blocks: await measureAlternation(server, switched, settings, BLOCKS) })
      measured(`${server}, process ${round + 1} of ${processes}`)
    }
  }
}

/** @type {import('../overhead/variants').Variant['start']} */
function switched () {
  return {
    args: ['--require', path.join(__dirname, 'switched.js')],
    env: { EDGEWISE_ENABLED: '0', EDGEWISE_BOOST: BOOST, EDGEWISE_BOOST_ACTUATOR: 'log' }
  }
}

/**
 * @param {Cost[]} costs
 * @param {number} runs
 * @returns {boolean} whether all was measured
 */
function costsAreWhole (costs, runs) {
  return SERVERS.every((server) => Array.from({ length: PROCESSES_PER_ROUND * runs }, (_, round) => round).every((round) => isKnown(costs, server, round)))
}

function isKnown (costs, server, round) {
  return costs.some((one) => one.server === server && one.round === round)
}

module.exports = { BOOST, PROCESSES_PER_ROUND, SERVERS, costsAreWhole, measureCosts, switched }
