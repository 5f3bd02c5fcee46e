'use strict'

// What is changed, and what edgewise is told of it.

const { FINDINGS } = require('../findings/findings')

/** @typedef {{ route: string, latency_ns: number, exec_ns: number, io_ns: number }} Request */
/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {Record<string, string>} [env] of the changed server
 * @property {string[]} [nodeArgs] of the changed server
 * @property {boolean} [alone] what it changes is measured first, route by route, where hardly anybody waits for the loop
 * @property {number} [load] times the rate
 * @property {number} [seed] added to that of the arrivals
 * @property {import('../../lib/whatif/changes').Change[]} changes none: the same again, how well a run repeats
 * @property {(request: Request) => number} path
 *   its latency by its critical path only: what it waits for the loop stays
 */

/** @param {string} route @param {number} scale */
const execution = (route, scale) => ({
  changes: [{ kind: 'cpu', route, scale }],
  path: (/** @type {any} */ request) => request.latency_ns - (request.route === route ? (1 - scale) * request.exec_ns : 0)
})
const unchanged = { changes: [], path: (/** @type {any} */ { latency_ns: latency }) => latency }

/** @type {Cell[]} */
const SYNTHETIC = [
  { name: 'the same arrivals', ...unchanged },
  { name: 'other arrivals', seed: 1000, ...unchanged },
  { name: 'load x 1.3', load: 1.3, ...unchanged, changes: [{ kind: 'load', scale: 1.3 }] },
  { name: 'load x 0.7', load: 0.7, ...unchanged, changes: [{ kind: 'load', scale: 0.7 }] },
  { name: 'half of GET /heavy', env: { HEAVY_US: '2000' }, ...execution('GET /heavy', 0.5) },
  { name: 'half of GET /quick', env: { QUICK_US: '200' }, ...execution('GET /quick', 0.5) },
  {
    name: 'each wait + 2 ms',
    env: { WAIT_US: '7000' },
    changes: [{ kind: 'wait', dependency: 'tcp', addNs: 2e6 }],
    path: ({ route, latency_ns: latency }) => latency + ({ 'GET /asks': 2e6, 'GET /twice': 4e6 }[route] ?? 0)
  },
  {
    name: 'both waits of GET /twice together',
    env: { TOGETHER: '1' },
    changes: [{ kind: 'parallel', route: 'GET /twice', first: 1, second: 2 }],
    path: ({ route, latency_ns: latency, io_ns: io }) => latency - (route === 'GET /twice' ? io / 2 : 0)
  },
  {
    name: 'GET /heavy on another thread',
    env: { OFFLOAD: '1' },
    changes: [{ kind: 'offload', route: 'GET /heavy', count: 1 }],
    path: ({ latency_ns: latency }) => latency
  }
]

const SEMI_SPACE_MB = 64

/** @param {string} app @returns {Cell[]} */
function cellsOf (app) {
  if (app === 'synthetic') return SYNTHETIC
  const found = FINDINGS.find((finding) => finding.app === app)
  return [
    ...SYNTHETIC.filter(({ env }) => !env),
    {
      name: `semi-space of ${SEMI_SPACE_MB} MB`,
      nodeArgs: [`--min-semi-space-size=${SEMI_SPACE_MB}`, `--max-semi-space-size=${SEMI_SPACE_MB}`],
      changes: [{ kind: 'semi-space', bytes: SEMI_SPACE_MB * 2 ** 20 }],
      path: unchanged.path
    },
    ...found ? [{ name: found.change, env: found.env, nodeArgs: found.nodeArgs, alone: true, ...unchanged }] : []
  ]
}

/** @typedef {{ route: string, requests: number, execution_ns: number, wait_ns: number }} Demand */

/**
 * What a change brings to each route, from what its requests took before it and after it.
 * @param {Demand[]} before
 * @param {Demand[]} after
 * @returns {Pick<Cell, 'changes' | 'path'>}
 */
function measured (before, after) {
  /** @type {Cell['changes']} */
  const changes = []
  const scales = new Map()
  for (const was of before) {
    const is = becomeOf(was, before, after)
    if (Math.min(was.requests, is.requests) < LEAST) continue
    const { route } = was
    const scale = { cpu: is.execution_ns / was.execution_ns, wait: was.wait_ns > 0 ? is.wait_ns / was.wait_ns : 1 }
    scales.set(route, scale)
    if (differs(scale.cpu)) changes.push({ kind: 'cpu', route, scale: scale.cpu })
    if (differs(scale.wait) && was.wait_ns > LEAST_WAIT_NS) changes.push({ kind: 'wait', route, scale: scale.wait })
  }
  const path = (/** @type {Request} */ { route, latency_ns: latency, exec_ns: exec, io_ns: io }) => {
    const { cpu, wait } = scales.get(route) ?? { cpu: 1, wait: 1 }
    return latency - (1 - cpu) * exec - (1 - wait) * io
  }
  return { changes, path }
}

/**
 * What a route's requests are after a change, of as many requests as before: a change that answers some of them elsewhere
 * gives those another route.
 * @param {Demand} was
 * @param {Demand[]} before
 * @param {Demand[]} after
 * @returns {Demand}
 */
function becomeOf (was, before, after) {
  const same = after.find(({ route }) => route === was.route) ?? { ...was, requests: 0 }
  const gone = was.requests - same.requests
  const elsewhere = after.find(({ route, requests }) => !before.some((each) => each.route === route) && Math.abs(requests / gone - 1) < SAME_COUNT)
  if (!elsewhere) return same
  const requests = same.requests + elsewhere.requests
  const mean = (/** @type {'execution_ns' | 'wait_ns'} */ key) => (same.requests * same[key] + elsewhere.requests * elsewhere[key]) / requests
  return { route: was.route, requests, execution_ns: mean('execution_ns'), wait_ns: mean('wait_ns') }
}

const SAME_COUNT = 0.1 // runs of the same arrivals end at different requests
const LEAST = 20 // requests of a route
const LEAST_WAIT_NS = 30e3
const differs = (/** @type {number} */ scale) => Math.abs(scale - 1) > 0.1

module.exports = { cellsOf, measured }
