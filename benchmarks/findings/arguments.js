'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { appOptions, appSettings, appsAndRanges } = require('../shared/arguments')
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
  const { values } = parseArguments(args, USAGE, appOptions(NAMES, DEFAULTS), appsAndRanges(NAMES, RANGES))
  const settings = appSettings(values, DEFAULTS)
  return { ...settings, whole: settings.apps.length === NAMES.length && settings.runs >= DEFAULTS.runs }
}

module.exports = { readArguments }
