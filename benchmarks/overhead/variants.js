'use strict'

// What runs beside the server. Each row says how Node is started; `off` is the
// base of every ratio, `aa` is the same thing measured once more (A/A).

const path = require('node:path')
const { ROOT } = require('../../scripts/tasks/tree')

/**
 * @typedef {object} Place
 * @property {string} servers where the servers and their packages are installed
 * @property {string} scratch a directory of this run's own, removed afterwards
 */

/**
 * @typedef {object} Variant
 * @property {string} name
 * @property {string} text what it is, in words
 * @property {boolean} [paired] also measured beside the bare server
 * @property {boolean} [tail] and its p99.9 there, which takes many windows
 * @property {string} [needs] a directory below servers/ whose packages it needs
 * @property {(place: Place) => { node?: string, args?: string[], env?: Record<string, string>, pipe?: boolean, startMs?: number }} start
 *   node: another than this one; pipe: descriptor 3 is a pipe; startMs: until it listens, if it is that slow
 */

const REGISTER = path.join(ROOT, 'lib', 'register.js')

/** @type {Variant[]} */
const VARIANTS = [
  { name: 'off', text: 'edgewise not loaded', start: () => ({}) },
  { name: 'aa', text: 'the same once more (A/A)', paired: true, tail: true, start: () => ({}) },
  { name: 'loaded-off', text: 'edgewise loaded, EDGEWISE_ENABLED=0', paired: true, tail: true, start: withEdgewise({ EDGEWISE_ENABLED: '0' }) },
  {
    name: 'counters',
    text: 'everything hooked and counted, next to nothing kept (EDGEWISE_RING_RECORDS=2)',
    start: withEdgewise({ EDGEWISE_RING_RECORDS: '2' })
  },
  { name: 'events', text: 'recording, EDGEWISE_CAUSALITY=events', paired: true, start: withEdgewise({ EDGEWISE_CAUSALITY: 'events' }) },
  { name: 'promises', text: 'recording, EDGEWISE_CAUSALITY=promises (the default)', paired: true, tail: true, start: withEdgewise({ EDGEWISE_CAUSALITY: 'promises' }) },
  {
    name: 'shared',
    text: 'the same in a server that has a connection of its own, so that promises have to be followed',
    paired: true,
    start: withEdgewise({ EDGEWISE_CAUSALITY: 'promises' }, ['--require', path.join(__dirname, 'shared-connection.js')])
  },
  {
    name: 'metrics',
    text: 'recording, and edgewise.metrics() asked for each second',
    start: withEdgewise({ EDGEWISE_CAUSALITY: 'promises' }, ['--require', path.join(__dirname, 'scraped.js')])
  },
  {
    name: 'async_hooks',
    text: 'createHook({ init, before, after }) that only counts',
    start: ({ servers }) => ({ args: ['--require', path.join(servers, 'async-hooks.js')] })
  },
  {
    name: 'otel',
    text: 'OpenTelemetry: http instrumentation, batch processor, no exporter',
    start: ({ servers }) => ({ args: ['--require', path.join(servers, 'otel.js')] })
  },
  {
    name: 'bubbleprof',
    text: "clinic's bubbleprof: its logger and its trace categories",
    needs: 'bubbleprof',
    start: bubbleprof
  }
]

/**
 * @param {Record<string, string>} settings
 * @param {string[]} [args] more of Node's
 * @returns {Variant['start']}
 */
function withEdgewise (settings, args = []) {
  return (/** @type {Place} */ { scratch }) => ({
    args: ['--require', REGISTER, ...args],
    env: { ...settings, EDGEWISE_OUT: path.join(scratch, 'trace') }
  })
}

// As its own `collect` starts the process that it profiles.
function bubbleprof (/** @type {Place} */ { servers, scratch }) {
  const injects = path.join(servers, 'bubbleprof', 'node_modules', '@clinic', 'bubbleprof', 'injects')
  return {
    args: [
      '--require', path.join(injects, 'no-cluster.js'),
      '--require', path.join(injects, 'logger.js'),
      '--trace-events-enabled', '--trace-event-categories', 'node.async_hooks'
    ],
    env: { NODE_CLINIC_BUBBLEPROF_DATA_PATH: scratch },
    pipe: true // to which it writes warnings
  }
}

module.exports = { VARIANTS, withEdgewise }
