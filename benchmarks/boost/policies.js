'use strict'

// What is compared, and how a Node.js is started with it.

const path = require('node:path')
const { ROOT } = require('../../scripts/tasks/tree')

const REGISTER = path.join(ROOT, 'lib', 'register.js')
const BASE = 'low'
const AGAIN = 'low-again'

/**
 * @typedef {object} Policy
 * @property {string} name on the command line and in tables
 * @property {string} text what it is, in words
 * @property {string} boost the value of EDGEWISE_BOOST
 * @property {boolean} [tuned] with the collector's flags of tuning.json
 * @property {boolean} [routes] needs the routes that are likely to be tail
 * @property {string} [target] the policy whose tail it is to reach
 */

/** @type {Policy[]} */
const POLICIES = [
  { name: BASE, text: 'always 2.6 GHz; the base of every ratio', boost: 'low' },
  { name: AGAIN, text: 'the same once more (A/A)', boost: 'low' },
  { name: 'mid', text: 'always 3.3 GHz', boost: 'mid' },
  { name: 'high', text: 'always 4.0 GHz', boost: 'high' },
  { name: 'gc', text: 'GC-Boost', boost: 'gc' },
  { name: 'gc+tuning', text: 'GC-Boost after tuning the collector (`edgewise tune`)', boost: 'gc', tuned: true },
  { name: 'queue', text: 'Queue Boost', boost: 'queue' },
  { name: 'combined', text: 'GC-Boost and Queue Boost', boost: 'gc,queue' },
  { name: 'combined+tuning', text: 'the same after tuning: the paper\'s Combined', boost: 'gc,queue', tuned: true },
  { name: 'rubik', text: 'Rubik; its target is what GC-Boost reached', boost: 'rubik', target: 'gc' },
  { name: 'rubik-combined', text: 'Rubik; its target is what Combined reached', boost: 'rubik', target: 'combined' },
  { name: 'adrenaline', text: 'Adrenaline, the oracle: boosts the routes that were tail in an earlier run', boost: 'adrenaline', routes: true },
  { name: 'slo', text: 'boosts only for requests that would be tail', boost: 'slo' }
]

const CLUSTER = [BASE, AGAIN, 'gc', 'queue']
const SENSITIVITY = ['combined', 'slo']
const REACTION = 'combined'
const EMULATED = 'emulated'
/** The server of ../whatif, whose routes have known demands. */
const SYNTHETIC = 'synthetic'

/**
 * @typedef {object} Known what a policy may need to know of an application
 * @property {string[]} [routes] 'METHOD path'
 * @property {Record<string, number>} [targetsMs] the tails that policies have reached
 * @property {string[]} [flags] of Node.js
 */

/**
 * @param {string} name
 * @param {Known} known
 * @param {{ actuator?: string, delayUs?: number, domain?: string, recorded?: boolean }} [how]
 *   domain: of the processes that have one frequency; recorded: the caller requires the register, to record
 * @returns {{ nodeArgs: string[], env: Record<string, string> }}
 */
function startOf (name, { routes = [], targetsMs = {}, flags = [] }, { actuator = EMULATED, delayUs = 0, domain, recorded = false } = {}) {
  const policy = findPolicy(name)
  const targetMs = policy.target && targetsMs[policy.target]
  return {
    nodeArgs: [...policy.tuned ? flags : [], ...recorded ? [] : ['--require', REGISTER]],
    env: {
      ...recorded ? {} : { EDGEWISE_ENABLED: '0' },
      EDGEWISE_BOOST: policy.boost,
      EDGEWISE_BOOST_ACTUATOR: actuator,
      EDGEWISE_BOOST_DELAY_US: String(delayUs),
      ...domain === undefined ? {} : { EDGEWISE_BOOST_DOMAIN: domain },
      ...policy.routes ? { EDGEWISE_BOOST_ROUTES: routes.join(',') } : {},
      ...targetMs ? { EDGEWISE_BOOST_TARGET_MS: targetMs.toFixed(3) } : {}
    }
  }
}

/** @param {string} name @returns {Policy} */
function findPolicy (name) {
  const policy = POLICIES.find((one) => one.name === name)
  if (!policy) throw new RangeError(`no policy ${name}`)
  return policy
}

module.exports = { AGAIN, BASE, CLUSTER, EMULATED, POLICIES, REACTION, REGISTER, SENSITIVITY, SYNTHETIC, findPolicy, startOf }
