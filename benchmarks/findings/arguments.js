'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { appsAndRanges } = require('../results/arguments')
const { FINDINGS } = require('./findings')

const NAMES = FINDINGS.map(({ app }) => app)

const DEFAULTS = { runs: 5, seconds: 10, warmup: 4, load: 0.5 }

const USAGE = `Usage: npm run bench:findings -- [options]

Acts on what the report blames in an application and measures what that does
to its tail: as it is, the same again (A/A) and changed, in turn. Writes
docs/findings.md.

  --apps LIST   of ${NAMES.join(',')} (all)
  --runs N      rounds (${DEFAULTS.runs})
  --seconds S   of load measured in each run (${DEFAULTS.seconds})
  --warmup S    of load before that, left out (${DEFAULTS.warmup})
  --load SHARE  of each application's saturation throughput (${DEFAULTS.load})
  --json FILE   every run's numbers, written after each
  --resume      goes on with the runs that FILE lacks
  --page FILE   write the page here; by default docs/findings.md, when all was measured
  --no-setup    do not look whether everything is built`

const RANGES = { runs: [1, 1000], seconds: [1, 1e5], warmup: [0, 1e5], load: [0.01, 2] }

/** @param {string[]} args @returns {any} the options, by name */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    apps: { type: 'string', default: NAMES.join(',') },
    runs: { type: 'string', default: String(DEFAULTS.runs) },
    seconds: { type: 'string', default: String(DEFAULTS.seconds) },
    warmup: { type: 'string', default: String(DEFAULTS.warmup) },
    load: { type: 'string', default: String(DEFAULTS.load) },
    json: { type: 'string' },
    resume: { type: 'boolean', default: false },
    page: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, appsAndRanges(NAMES, RANGES))
  const apps = values.apps.split(',')
  return {
    apps,
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    warmup: Number(values.warmup),
    load: Number(values.load),
    json: values.json,
    resume: values.resume,
    page: values.page,
    setup: !values['no-setup'],
    whole: apps.length === NAMES.length && Number(values.runs) >= DEFAULTS.runs
  }
}

module.exports = { readArguments }
