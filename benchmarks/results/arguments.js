'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { NAMES } = require('../apps/app')
const { resumeProblem } = require('../shared/rounds')

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
    apps: { type: 'string', default: NAMES.join(',') },
    runs: { type: 'string', default: String(DEFAULTS.runs) },
    seconds: { type: 'string', default: String(DEFAULTS.seconds) },
    warmup: { type: 'string', default: String(DEFAULTS.warmup) },
    rate: { type: 'string' },
    percentile: { type: 'string', default: String(DEFAULTS.percentile) },
    workers: { type: 'string', default: String(DEFAULTS.workers) },
    json: { type: 'string' },
    resume: { type: 'boolean', default: false },
    'from-json': { type: 'string' },
    page: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, appsAndRanges(NAMES, RANGES))
  const apps = values.apps.split(',')
  return {
    apps,
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    warmup: Number(values.warmup),
    rate: values.rate === undefined ? undefined : Number(values.rate),
    percentile: Number(values.percentile),
    workers: Number(values.workers),
    json: values.json,
    resume: values.resume,
    fromJson: values['from-json'],
    page: values.page,
    setup: !values['no-setup'],
    whole: apps.length === NAMES.length && values.rate === undefined && Number(values.runs) >= 3
  }
}

/**
 * @param {string[]} names what --apps may list
 * @param {Record<string, number[]>} ranges [least, most] of each option that is a number
 * @returns {(values: any, positionals: string[]) => string | undefined} for parseArguments(); of --resume too
 */
function appsAndRanges (names, ranges) {
  return (values, positionals) => {
    if (positionals.length) return `'${positionals[0]}': no such argument`
    const unknown = values.apps.split(',').find((name) => !names.includes(name))
    if (unknown !== undefined) return `--apps ${unknown}: allowed are ${names.join(', ')}`
    for (const [name, [least, most]] of Object.entries(ranges)) {
      const text = values[name]
      if (text === undefined || (text.trim() !== '' && text >= least && text <= most)) continue
      return `--${name} ${text}: must be a number from ${least} to ${most}`
    }
    return resumeProblem(values)
  }
}

module.exports = { appsAndRanges, readArguments }
