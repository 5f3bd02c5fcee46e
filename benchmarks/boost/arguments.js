'use strict'

const path = require('node:path')
const { MAX_DELAY_US } = require('../../lib/config/boost')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { BUILD } = require('../../scripts/tasks/tree')
const { NAMES } = require('../apps/app')
const { appOptions, appSettings, appsAndRanges } = require('../shared/arguments')
const { BASE, POLICIES, SYNTHETIC } = require('./policies')

const DEFAULTS = { runs: 3, seconds: 12, turn: 6, warmup: 8, load: 0.45, workers: 2, replications: 100 }
const DELAYS = '50,500,5000'
/** `cost` is of servers of its own, the others of the applications. */
const SECTIONS = ['main', 'tuning', 'cluster', 'validation', 'sensitivity', 'reaction', 'cost']
const TRACES = path.join(BUILD, 'boost-traces')
const POLICY_NAMES = POLICIES.map(({ name }) => name)

const USAGE = `Usage: npm run bench:boost -- [options]

What each boosting policy buys in tail latency and costs in energy, on a
frequency that is emulated: every application under open-loop load, the
policies in turn. Writes docs/boost-results.md (the sections main, tuning,
reaction and cost) and docs/boost-variants.md (cluster, validation and
sensitivity). --simulate runs them over recorded traffic instead, on a virtual
clock, each with several settings, and writes docs/boost-simulation.md.

  --apps LIST      of ${NAMES.join(',')} (all);
                   simulated, also of ${SYNTHETIC}, routes of known demands
  --policies LIST  of ${POLICY_NAMES.join(',')} (all);
                   ${BASE}, the base, is always among them
  --sections LIST  of ${SECTIONS.join(',')} (all)
  --runs N         rounds of each section (${DEFAULTS.runs})
  --seconds S      of load measured in each run (${DEFAULTS.seconds})
  --turn S         the same in each turn, where policies take turns in one
                   process: main and sensitivity (${DEFAULTS.turn})
  --warmup S       of load before that, left out, of each process (${DEFAULTS.warmup})
  --load SHARE     of the saturation throughput at the low frequency (${DEFAULTS.load})
  --delays LIST    of transitions in the section sensitivity, us (${DELAYS})
  --workers N      of the section cluster (${DEFAULTS.workers})
  --simulate       policies over recordings, without noise
  --traces DIR     where these are, and are put if they are not (build/boost-traces)
  --replications N of each recording (${DEFAULTS.replications})
  --json FILE      every run's numbers, written after each
  --resume         goes on with what is in that file: measures only what it lacks
  --from-json FILE measures nothing: tables and page from such a file
  --page FILE      write the page here; by default each of the two when all of it was measured
  --no-setup       do not look whether everything is built`

const RANGES = { runs: [1, 1000], seconds: [1, 1e5], turn: [1, 1e5], warmup: [0, 1e5], load: [0.01, 2], workers: [2, 1024], replications: [2, 1e5] }

/** @param {string[]} args @returns {any} the options, by name */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    ...appOptions(NAMES, DEFAULTS),
    policies: { type: 'string', default: POLICY_NAMES.join(',') },
    sections: { type: 'string', default: SECTIONS.join(',') },
    delays: { type: 'string', default: DELAYS },
    simulate: { type: 'boolean', default: false },
    traces: { type: 'string', default: TRACES },
    'from-json': { type: 'string' }
  }, problem)
  const policies = values.policies.split(',')
  return {
    ...appSettings(values, DEFAULTS),
    policies: POLICY_NAMES.filter((name) => name === BASE || policies.includes(name)),
    sections: values.sections.split(','),
    delaysUs: values.delays.split(',').map(Number),
    simulate: values.simulate,
    traces: values.traces,
    json: values.json ?? values['from-json'],
    fromJson: values['from-json'] !== undefined
  }
}

function problem (values, positionals) {
  const wrong = appsAndRanges(values.simulate ? [SYNTHETIC, ...NAMES] : NAMES, RANGES)(values, positionals)
  if (wrong) return wrong
  for (const [option, allowed] of Object.entries({ policies: POLICY_NAMES, sections: SECTIONS })) {
    const unknown = values[option].split(',').find((name) => !allowed.includes(name))
    if (unknown !== undefined) return `--${option} ${unknown}: allowed are ${allowed.join(', ')}`
  }
  const delay = values.delays.split(',').find((text) => !/^\d+$/.test(text) || Number(text) < 1 || Number(text) > MAX_DELAY_US)
  if (delay !== undefined) return `--delays ${delay}: must be a number of microseconds from 1 to ${MAX_DELAY_US}`
  if (values['from-json'] !== undefined && values.json !== undefined) return '--from-json measures nothing: --json has nothing to write'
  return undefined
}

module.exports = { DEFAULTS, SECTIONS, readArguments }
