'use strict'

// What the environment can say about boosting.

const { MAX_MS, between, file, oneOf, plainNumber, positive } = require('./values')

const POLICIES = ['gc', 'queue', 'slo', 'rubik', 'adrenaline', 'low', 'mid', 'high']
const ACTUATORS = ['auto', 'daemon', 'cpufreq', 'epp', 'uclamp', 'emulated', 'log', 'none']
const FACTOR = { default: 2.5, min: 1, max: 100 }
const MAX_DELAY_US = 100_000
const MAX_MHZ = 10_000
const SOCKET = '/run/edgewise/boostd.sock'

/** @type {import('./index').Variable[]} */
const BOOST = [
  {
    name: 'EDGEWISE_BOOST',
    key: 'boost',
    values: `one or more of ${POLICIES.join(', ')}, joined by commas`,
    default: 'unset',
    text: 'Raises the processor\'s frequency when the tail gains from it: during collections (gc), while the queue is long or its head slow (queue), while a request would miss its target (slo). The others are for comparison.',
    read: policies,
    fallback: () => null
  },
  {
    name: 'EDGEWISE_BOOST_ACTUATOR',
    key: 'boostActuator',
    values: ACTUATORS.join(', '),
    default: 'auto',
    text: 'How the frequency is raised; auto takes the best that works here, and says which.',
    read: oneOf(...ACTUATORS),
    fallback: () => 'auto'
  },
  factor('EDGEWISE_BOOST_QUEUE_FACTOR', 'boostQueueFactor', 'The queue is long when it is longer than this many times its average.'),
  factor('EDGEWISE_BOOST_HEAD_FACTOR', 'boostHeadFactor', 'An event is slow when it takes longer than this many times the average.'),
  {
    name: 'EDGEWISE_BOOST_TARGET_MS',
    key: 'boostTargetMs',
    values: `a number > 0, at most ${MAX_MS}`,
    default: 'unset',
    text: 'The latency in ms that slo and rubik defend; unset: EDGEWISE_BOOST_PERCENTILE of what was seen.',
    read: positive(MAX_MS),
    fallback: () => null
  },
  {
    name: 'EDGEWISE_BOOST_PERCENTILE',
    key: 'boostPercentile',
    values: 'a number from 50 to 99.99',
    default: '99',
    text: 'The percentile that slo and rubik defend.',
    read: between(50, 99.99),
    fallback: () => 99
  },
  {
    name: 'EDGEWISE_BOOST_ROUTES',
    key: 'boostRoutes',
    values: 'METHOD and path of routes, joined by commas',
    default: 'unset',
    text: 'The routes that adrenaline boosts.',
    read: routes,
    fallback: () => null
  },
  {
    name: 'EDGEWISE_BOOST_MHZ',
    key: 'boostMhz',
    values: `two or three ascending whole numbers up to ${MAX_MHZ}, joined by commas`,
    default: 'of the hardware; 2600,3300,4000 (emulated)',
    text: 'The nominal and the boosted frequency, and one between them.',
    read: frequencies,
    fallback: () => null
  },
  {
    name: 'EDGEWISE_BOOST_DELAY_US',
    key: 'boostDelayUs',
    values: `a number from 0 to ${MAX_DELAY_US}`,
    default: '0',
    text: 'How long an emulated change of the frequency takes, µs.',
    read: between(0, MAX_DELAY_US),
    fallback: () => 0
  },
  {
    name: 'EDGEWISE_BOOST_DOMAIN',
    key: 'boostDomain',
    values: 'letters, digits, - and _',
    default: 'one a process',
    text: 'Processes of the same domain have one emulated frequency, as on hardware without a frequency per core.',
    read: (value) => /^[\w-]{1,64}$/.test(value) ? value : undefined,
    fallback: () => null
  },
  {
    name: 'EDGEWISE_BOOST_SOCKET',
    key: 'boostSocket',
    values: 'a path',
    default: SOCKET,
    text: 'Where `edgewise boostd` listens.',
    read: file,
    fallback: () => SOCKET
  },
  {
    name: 'EDGEWISE_BOOST_STATS',
    key: 'boostStats',
    values: 'a directory',
    default: 'that of the trace, if there is one',
    text: 'Where each thread leaves what its boosting did, as JSON, when it ends.',
    read: file,
    fallback: () => null
  }
]

/**
 * @param {string} name
 * @param {'boostQueueFactor' | 'boostHeadFactor'} key
 * @param {string} text
 * @returns {import('./index').Variable}
 */
function factor (name, key, text) {
  return {
    name,
    key,
    values: `a number from ${FACTOR.min} to ${FACTOR.max}`,
    default: String(FACTOR.default),
    text,
    read: between(FACTOR.min, FACTOR.max),
    fallback: () => FACTOR.default
  }
}

/** @param {string} value */
function policies (value) {
  const names = value.split(',')
  return names.every((name) => POLICIES.includes(name)) && new Set(names).size === names.length ? value : undefined
}

/** @param {string} value */
function routes (value) {
  const names = value.split(',').map((name) => name.trim())
  return names.every((name) => /^[A-Z]+ \S+$/.test(name)) ? names : undefined
}

/** @param {string} value @returns {number[] | undefined} low, mid and high, MHz */
function frequencies (value) {
  const mhz = value.split(',').map(plainNumber)
  const whole = mhz.every((number) => number !== undefined && Number.isInteger(number) && number <= MAX_MHZ)
  const [low, ...above] = /** @type {number[]} */ (mhz)
  if (!whole || low < 1 || above.length < 1 || above.length > 2) return undefined
  const high = above[above.length - 1]
  const all = [low, above.length === 2 ? above[0] : Math.round((low + high) / 2), high]
  return low < all[1] && all[1] < high ? all : undefined
}

module.exports = { ACTUATORS, BOOST, MAX_DELAY_US, POLICIES }
