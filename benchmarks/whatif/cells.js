'use strict'

// What is changed, and what edgewise is told of it.

/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {Record<string, string>} [env] of the changed server
 * @property {number} [load] times the rate
 * @property {number} [seed] added to that of the arrivals
 * @property {import('../../lib/whatif/changes').Change[]} changes none: the same again, how well a run repeats
 * @property {(request: { route: string, latency_ns: number, exec_ns: number, io_ns: number }) => number} path
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

/** @type {Cell[]} */
const APPLICATION = SYNTHETIC.filter(({ env }) => !env)

module.exports = { APPLICATION, SYNTHETIC }
