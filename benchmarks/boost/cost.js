'use strict'

// What boosting costs when nothing gains from it: servers at saturation, their
// queue as long as ever, in which it is switched on and off. The actuator
// changes nothing: what is measured is the signals and the controller.

const path = require('node:path')
const { installServers } = require('../overhead/install')
const { measureSwitching } = require('../overhead/switching')

const SERVERS = /** @type {const} */ (['hello', 'express'])
const PAIRS_PER_ROUND = 4
const SETTINGS = { serverCpus: '0', helperCpus: '0,1', loadCpus: '1', connections: 32, seconds: 2, warmup: 1.5 }
// Unlike recording, boosting has no code compiled anew.
const SETTLE_S = 0.1
const BOOST = 'gc,queue'

/** @typedef {{ server: string, round: number, blocks: import('../overhead/switching').Block[] }} Cost of one pair */

/**
 * @param {{ costs: Cost[] }} results gets what it lacks
 * @param {{ runs: number }} options
 * @param {() => void} save called after each pair
 */
async function measureCosts ({ costs }, { runs }, save) {
  const settings = { ...SETTINGS, servers: await installServers() }
  for (let round = 0; round < PAIRS_PER_ROUND * runs; round++) {
    for (const server of SERVERS) {
      if (isKnown(costs, server, round)) continue
      costs.push({ server, round, ...await measureSwitching(server, settings, { variant: switched(), settleS: SETTLE_S }) })
      save()
    }
  }
}

/** @returns {import('../overhead/variants').Variant} */
function switched () {
  return {
    name: 'boost',
    text: `EDGEWISE_BOOST=${BOOST}`,
    start: () => ({
      args: ['--require', path.join(__dirname, 'switched.js')],
      env: { EDGEWISE_ENABLED: '0', EDGEWISE_BOOST: BOOST, EDGEWISE_BOOST_ACTUATOR: 'log' }
    })
  }
}

/**
 * @param {Cost[]} costs
 * @param {number} runs
 * @returns {boolean} whether all was measured
 */
function costsAreWhole (costs, runs) {
  return SERVERS.every((server) => Array.from({ length: PAIRS_PER_ROUND * runs }, (_, round) => round).every((round) => isKnown(costs, server, round)))
}

function isKnown (costs, server, round) {
  return costs.some((one) => one.server === server && one.round === round)
}

module.exports = { BOOST, PAIRS_PER_ROUND, SERVERS, costsAreWhole, measureCosts }
