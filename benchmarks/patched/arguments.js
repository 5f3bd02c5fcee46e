'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { SERVERS } = require('./servers')
const { WORKLOADS } = require('./workloads')

const SERVER_NAMES = /** @type {string[]} */ (SERVERS)
const WORKLOAD_NAMES = Object.keys(WORKLOADS)
const DEFAULTS = { runs: 20, blockMs: 200, seconds: 0.8, warmup: 1.2, connections: 32 }

const USAGE = `Usage: npm run bench:patched -- [options]

Measures what the patches cost: the patched Node with tracking off against the
unpatched one of the same tree and compiler, in processes that take turns, and
tracking on against off within a process. Micro workloads in ns an operation;
servers at saturation.

  --workloads LIST    of ${WORKLOAD_NAMES.join(',')} (all; '': none)
  --servers LIST      of ${SERVER_NAMES.join(',')} (all; '': none)
  --runs N            rounds (${DEFAULTS.runs})
  --block-ms N        of each measurement of a workload (${DEFAULTS.blockMs})
  --seconds S         of each measurement of a server (${DEFAULTS.seconds})
  --warmup S          of a server at saturation before them, not counted (${DEFAULTS.warmup})
  --connections N     of the closed loop (${DEFAULTS.connections})
  --server-cpus LIST  processors of what is measured, as taskset takes them (0)
  --helper-cpus LIST  processors of a server's other threads (all: 0,1)
  --load-cpus LIST    processors of the load generator (1)
  --json FILE         every process's numbers, written after each round
  --resume            go on with the rounds that FILE lacks
  --page FILE         write the page here; by default docs/patched-cost.md, when all was measured
  --generator FILE    the load generator (default: the one scripts/setup builds)
  --no-setup          do not look whether everything is built`

/** @param {string[]} args @returns {any} the options, by name */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    workloads: { type: 'string', default: WORKLOAD_NAMES.join(',') },
    servers: { type: 'string', default: SERVER_NAMES.join(',') },
    runs: { type: 'string', default: String(DEFAULTS.runs) },
    'block-ms': { type: 'string', default: String(DEFAULTS.blockMs) },
    seconds: { type: 'string', default: String(DEFAULTS.seconds) },
    warmup: { type: 'string', default: String(DEFAULTS.warmup) },
    connections: { type: 'string', default: String(DEFAULTS.connections) },
    'server-cpus': { type: 'string', default: '0' },
    'helper-cpus': { type: 'string', default: '0,1' },
    'load-cpus': { type: 'string', default: '1' },
    json: { type: 'string' },
    resume: { type: 'boolean', default: false },
    page: { type: 'string' },
    generator: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  const [workloads, servers] = [list(values.workloads), list(values.servers)]
  return {
    workloads,
    measuredServers: servers,
    runs: Number(values.runs),
    blockMs: Number(values['block-ms']),
    seconds: Number(values.seconds),
    warmup: Number(values.warmup),
    connections: Number(values.connections),
    serverCpus: values['server-cpus'],
    helperCpus: values['helper-cpus'],
    loadCpus: values['load-cpus'],
    json: values.json,
    resume: values.resume,
    page: values.page,
    generator: values.generator,
    setup: !values['no-setup'],
    whole: workloads.length === WORKLOAD_NAMES.length && servers.length === SERVER_NAMES.length && Number(values.runs) >= DEFAULTS.runs
  }
}

function list (/** @type {string} */ text) {
  return text === '' ? [] : text.split(',')
}

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  for (const [option, allowed] of [['workloads', WORKLOAD_NAMES], ['servers', SERVER_NAMES]]) {
    const unknown = list(values[/** @type {string} */ (option)]).find((name) => !allowed.includes(name))
    if (unknown !== undefined) return `--${option} ${unknown}: allowed are ${/** @type {string[]} */ (allowed).join(', ')}`
  }
  for (const option of ['runs', 'connections', 'block-ms']) {
    if (!/^[1-9]\d*$/.test(values[option])) return `--${option} ${values[option]}: a whole number above 0 is needed`
  }
  for (const option of ['seconds', 'warmup']) {
    if (!(/^\d+(\.\d+)?$/.test(values[option]) && Number(values[option]) > 0)) return `--${option} ${values[option]}: a number above 0 is needed`
  }
  if (values.resume && !values.json) return '--resume needs --json FILE'
  return undefined
}

module.exports = { readArguments }
