'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { NAMES } = require('../apps/app')
const { appOptions, appSettings, appsAndRanges } = require('../shared/arguments')

const DEFAULTS = { runs: 5, seconds: 12, warmup: 4, percentile: 99, workers: 2 }

const USAGE = `Usage: npm run bench:apps -- [options]

Runs the five applications under open-loop load, bare and recorded in turn, and
writes docs/results.md with the paper's tables and figures.

  --apps LIST      of ${NAMES.join(',')} (all)
  --runs N         rounds (${DEFAULTS.runs})
  --seconds S      of load measured in each run (${DEFAULTS.seconds})
  --warmup S       of load before that, left out everywhere (${DEFAULTS.warmup})
  --rate R         requests per second (60 % of each application's saturation throughput)
  --percentile P   the tail are the requests at or above it (${DEFAULTS.percentile})
  --workers N      of the cluster runs (${DEFAULTS.workers})
  --json FILE      every run's numbers, written after each
  --resume         goes on with the runs that FILE lacks
  --from-json FILE measures nothing: writes the page from such a file
  --page FILE      write the page here; by default docs/results.md, when all was measured
  --no-setup       do not look whether everything is built`

const RANGES = { runs: [1, 1000], seconds: [1, 1e5], warmup: [0, 1e5], rate: [0.001, 1e6], percentile: [0.001, 99.999], workers: [2, 1024] }

/** @param {string[]} args @returns {any} the options, by name */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    ...appOptions(NAMES, DEFAULTS),
    rate: { type: 'string' },
    'from-json': { type: 'string' }
  }, appsAndRanges(NAMES, RANGES))
  const settings = appSettings(values, DEFAULTS)
  return {
    ...settings,
    rate: values.rate === undefined ? undefined : Number(values.rate),
    fromJson: values['from-json'],
    whole: settings.apps.length === NAMES.length && values.rate === undefined && settings.runs >= 3
  }
}

module.exports = { readArguments }
