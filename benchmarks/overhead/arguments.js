'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { SERVERS } = require('./cell')
const { problemWith, serverOptions, serverSettings } = require('../shared/server-options')
const { VARIANTS } = require('./variants')

const SERVER_NAMES = Object.keys(SERVERS)
const VARIANT_NAMES = VARIANTS.map(({ name }) => name)

const DEFAULTS = { runs: 5, seconds: 2, warmup: 1.5, connections: 32 }

const USAGE = `Usage: npm run bench:overhead -- [options]

Measures what recording costs each server: throughput at saturation, processor
time of the main thread per request, latency at 60 % load, helper threads. Each
round starts fresh processes; the order turns from round to round.

  --servers LIST      of ${SERVER_NAMES.join(',')} (all)
  --variants LIST     of ${VARIANT_NAMES.join(',')} (all); off is always measured
  --no-pairs          without the pairs that serve at the same time
  --runs N            rounds (${DEFAULTS.runs})
  --seconds S         of each of a round's two measurements (${DEFAULTS.seconds})
  --warmup S          at saturation before them, not counted (${DEFAULTS.warmup})
  --connections N     of the closed loop (${DEFAULTS.connections})
  --server-cpus LIST  processors of the server's main thread, as taskset takes them (0)
  --helper-cpus LIST  processors of the server's other threads (all: 0,1)
  --load-cpus LIST    processors of the load generator (1)
  --json FILE         every run's numbers, written after each round
  --resume            go on with the rounds that FILE lacks
  --page FILE         write the page here; by default docs/overhead.md, when all was measured
  --generator FILE    the load generator (default: the one scripts/setup builds)
  --no-setup          do not look whether everything is built`

/** @param {string[]} args @returns {any} the options, by name */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    servers: { type: 'string', default: SERVER_NAMES.join(',') },
    variants: { type: 'string', default: VARIANT_NAMES.join(',') },
    'no-pairs': { type: 'boolean', default: false },
    ...serverOptions(DEFAULTS)
  }, problem)
  const servers = values.servers.split(',')
  const names = new Set(['off', ...values.variants.split(',')])
  return {
    servers,
    variants: VARIANTS.filter(({ name }) => names.has(name)),
    ...serverSettings(values),
    pairs: !values['no-pairs'],
    whole: !values['no-pairs'] && servers.length === SERVER_NAMES.length && names.size === VARIANT_NAMES.length && Number(values.runs) >= DEFAULTS.runs
  }
}

function problem (values, positionals) {
  return problemWith(values, positionals,
    [['servers', values.servers.split(','), SERVER_NAMES], ['variants', values.variants.split(','), VARIANT_NAMES]])
}

module.exports = { readArguments }
