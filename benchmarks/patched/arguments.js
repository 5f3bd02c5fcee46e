'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { problemWith, serverOptions, serverSettings } = require('../shared/server-options')
const { SERVERS } = require('./servers')
const { WORKLOADS } = require('./workloads')

const SERVER_NAMES = /** @type {string[]} */ (SERVERS)
const WORKLOAD_NAMES = Object.keys(WORKLOADS)
const DEFAULTS = { runs: 12, blockMs: 200, seconds: 0.8, warmup: 2, windows: 3, connections: 32 }

const USAGE = `Usage: npm run bench:patched -- [options]

Measures what the patches cost: the patched Node with tracking off against the
unpatched one of the same tree and compiler, and tracking on against off. Micro
workloads in ns an operation, in processes that take turns; servers at
saturation, two at once on one processor.

  --workloads LIST    of ${WORKLOAD_NAMES.join(',')} (all; '': none)
  --servers LIST      of ${SERVER_NAMES.join(',')} (all; '': none)
  --as-built          the programs as they are; by default each round links them
                      anew, their object files in an order of its own
  --runs N            rounds (${DEFAULTS.runs})
  --block-ms N        of each measurement of a workload (${DEFAULTS.blockMs})
  --windows N         measurements of a pair of servers, before and after a switch (${DEFAULTS.windows})
  --seconds S         of each of them (${DEFAULTS.seconds})
  --warmup S          of the servers at saturation before them, not counted (${DEFAULTS.warmup})
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
    'as-built': { type: 'boolean', default: false },
    'block-ms': { type: 'string', default: String(DEFAULTS.blockMs) },
    windows: { type: 'string', default: String(DEFAULTS.windows) },
    ...serverOptions(DEFAULTS)
  }, problem)
  const [workloads, servers] = [list(values.workloads), list(values.servers)]
  return {
    workloads,
    measuredServers: servers,
    asBuilt: values['as-built'],
    blockMs: Number(values['block-ms']),
    windows: Number(values.windows),
    ...serverSettings(values),
    whole: workloads.length === WORKLOAD_NAMES.length && servers.length === SERVER_NAMES.length && Number(values.runs) >= DEFAULTS.runs
  }
}

function list (/** @type {string} */ text) {
  return text === '' ? [] : text.split(',')
}

function problem (values, positionals) {
  return problemWith(values, positionals,
    [['workloads', list(values.workloads), WORKLOAD_NAMES], ['servers', list(values.servers), SERVER_NAMES]], ['block-ms', 'windows'])
}

module.exports = { readArguments }
