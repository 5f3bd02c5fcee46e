'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { SERVERS } = require('./cell')
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
  --no-switching      without the processes in which recording is switched on and off
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
    runs: { type: 'string', default: String(DEFAULTS.runs) },
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
    'no-switching': { type: 'boolean', default: false },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  const servers = values.servers.split(',')
  const names = new Set(['off', ...values.variants.split(',')])
  return {
    servers,
    variants: VARIANTS.filter(({ name }) => names.has(name)),
    runs: Number(values.runs),
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
    switching: !values['no-switching'],
    whole: !values['no-switching'] && servers.length === SERVER_NAMES.length && names.size === VARIANT_NAMES.length && Number(values.runs) >= DEFAULTS.runs
  }
}

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  for (const [option, allowed] of [['servers', SERVER_NAMES], ['variants', VARIANT_NAMES]]) {
    const unknown = values[/** @type {string} */ (option)].split(',').find((name) => !allowed.includes(name))
    if (unknown !== undefined) return `--${option} ${unknown}: allowed are ${/** @type {string[]} */ (allowed).join(', ')}`
  }
  for (const option of ['runs', 'connections']) {
    if (!/^[1-9]\d*$/.test(values[option])) return `--${option} ${values[option]}: a whole number above 0 is needed`
  }
  for (const option of ['seconds', 'warmup']) {
    if (!(/^\d+(\.\d+)?$/.test(values[option]) && Number(values[option]) > 0)) return `--${option} ${values[option]}: a number above 0 is needed`
  }
  if (values.resume && !values.json) return '--resume needs --json FILE'
  return undefined
}

module.exports = { readArguments }
