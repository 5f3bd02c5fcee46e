'use strict'

// The samplers that are measured side by side: how each is started, and how
// what it wrote is read.

const fs = require('node:fs')
const path = require('node:path')
const edgewise = require('../../../lib')
const { fold } = require('../../../lib/flame/fold')
const { TaskError } = require('../../../scripts/tasks/step')
const { CACHE } = require('../../../scripts/tasks/tree')
const { installPackages } = require('../../overhead/install')
const { withEdgewise } = require('../../overhead/variants')
const { SERVER } = require('../served')
const { ofCpuProfile, ofPprof, ofTicks } = require('./profiles')

const PACKAGES = path.join(__dirname, 'packages')
const PLACE = path.join(CACHE, 'stacks-peers')
const PRELOAD = path.join(__dirname, 'preload')
/** All requests are the tail of these reports. */
const EVERYTHING = 0.001

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} text
 * @property {string} [package] of which version it is
 * @property {boolean} [tail] tells what the slow requests ran, apart from the others
 * @property {import('../../overhead/variants').Variant['start']} [start] from the start
 * @property {{ sampler: string, env?: Record<string, string> }} [switched] on in a running process: a file of preload/
 * @property {boolean} [fromStart] it cannot be switched on in a running process
 * @property {(place: import('../../overhead/variants').Place) => { script: string, env: Record<string, string> }} [collect] in place of
 *   `start`: its own collector, for what it tells
 * @property {(scratch: string) => import('./profiles').Sampled[]} [read] what it tells; undefined: as a row before does
 */

const profileOf = (/** @type {string} */ scratch) => path.join(scratch, 'profile')

/** @param {string} sampler @param {Record<string, string>} [more] */
function preloaded (sampler, more = {}) {
  return (/** @type {import('../../overhead/variants').Place} */ { scratch }) => ({
    args: ['--require', path.join(PRELOAD, `${sampler}.js`)],
    env: { STACKS_PEERS: PLACE, STACKS_PROFILE: profileOf(scratch), ...more }
  })
}

// As both start the process that they sample; but its stdout is not
// redirected, which a server does not use.
const logged = (/** @type {string} */ home) => (/** @type {import('../../overhead/variants').Place} */ { scratch }) => ({
  args: ['--prof', `--logfile=${path.join(scratch, '%p-v8.log')}`, '--print-opt-source', '--require', path.join(PLACE, home, 'lib', 'preload', 'no-cluster.js')]
})

const collector = (/** @type {string} */ tool) => () => ({ script: path.join(PLACE, 'collect.js'), env: { STACKS_COLLECT: tool, STACKS_SERVER: SERVER } })

/** @type {Tool[]} */
const TOOLS = [
  {
    name: 'edgewise',
    text: '`EDGEWISE_STACKS=100`',
    tail: true,
    start: withEdgewise({ EDGEWISE_STACKS: '100' }),
    switched: { sampler: 'edgewise', env: { STACKS_HZ: '100' } },
    read: (scratch) => ofReport(path.join(scratch, 'trace'))
  },
  {
    name: 'edgewise, stacks alone',
    text: 'as `edgewise stacks on` does, in a process that it records',
    switched: { sampler: 'edgewise', env: { STACKS_HZ: '100', STACKS_RECORDING: '1' } }
  },
  {
    name: 'edgewise without stacks',
    text: '`EDGEWISE_STACKS=0`: what it records besides (its first start loads its modules); what that costs stands below',
    switched: { sampler: 'edgewise', env: { STACKS_HZ: '0' } }
  },
  {
    name: 'inspector',
    text: "V8's CpuProfiler by `node:inspector`, every 1 ms (its default)",
    start: preloaded('inspector'),
    switched: { sampler: 'inspector' },
    read: (scratch) => ofCpuProfile(fs.readFileSync(profileOf(scratch), 'utf8'))
  },
  { name: 'inspector, 10 ms', text: 'the same, every 10 ms', start: preloaded('inspector', { STACKS_INTERVAL_US: '10000' }) },
  {
    name: '@datadog/pprof',
    text: 'its wall-time profiler, every 1 ms (its default)',
    package: '@datadog/pprof',
    start: preloaded('pprof'),
    switched: { sampler: 'pprof' },
    read: (scratch) => ofPprof(fs.readFileSync(profileOf(scratch)))
  },
  { name: '@datadog/pprof, 10 ms', text: 'the same, every 10 ms', start: preloaded('pprof', { STACKS_INTERVAL_US: '10000' }) },
  {
    name: '--cpu-prof',
    text: '`node --cpu-prof`, every 1 ms (its default)',
    fromStart: true,
    start: ({ scratch }) => ({ args: ['--cpu-prof', `--cpu-prof-dir=${scratch}`, '--cpu-prof-name=profile'] }),
    read: (scratch) => ofCpuProfile(fs.readFileSync(profileOf(scratch), 'utf8'))
  },
  {
    name: '0x',
    text: "0x: V8's log, every 1 ms",
    fromStart: true,
    package: '0x',
    start: logged(path.join('node_modules', '0x')),
    collect: collector('0x'),
    read: (scratch) => ofTicks(fs.readFileSync(find(scratch, /^ticks\.json$/), 'utf8'))
  },
  {
    name: 'clinic flame',
    text: 'clinic flame: 0x of another version, and its own analysis',
    fromStart: true,
    package: '@clinic/flame',
    start: logged(path.join('node_modules', '@clinic', 'flame', 'node_modules', '0x')),
    collect: collector('clinic'),
    read: (scratch) => ofTicks(fs.readFileSync(find(scratch, /-samples$/), 'utf8'))
  }
]

/** @returns {Promise<string>} where their packages are @throws {TaskError} with npm's output */
function installPeers () {
  return installPackages(PACKAGES, PLACE, 'stacks-peers')
}

/** @returns {Record<string, string>} versions, by package */
function versions () {
  return Object.fromEntries(TOOLS.flatMap(({ package: name }) => name
    ? [[name, JSON.parse(fs.readFileSync(path.join(PLACE, 'node_modules', name, 'package.json'), 'utf8')).version]]
    : []))
}

/** @param {string} trace @returns {import('./profiles').Sampled[]} */
function ofReport (trace) {
  const report = edgewise.report(trace, { percentile: EVERYTHING, stacks: true })
  return fold(report, 'own').map(({ frames, ns }) => ({ names: frames.map(({ name }) => name), ns: ns * (report.tail?.count ?? 0) }))
}

/** @param {string} directory @param {RegExp} name @returns {string} the file below it */
function find (directory, name) {
  const found = fs.readdirSync(directory, { withFileTypes: true, recursive: true }).find((entry) => entry.isFile() && name.test(entry.name))
  if (!found) throw new TaskError(`it wrote no file ${name.source}`)
  return path.join(found.parentPath ?? found.path, found.name)
}

module.exports = { installPeers, versions, PLACE, PRELOAD, SERVER, TOOLS }
