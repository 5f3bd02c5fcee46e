'use strict'

const { parseArguments } = require('../../scripts/tasks/arguments')
const { problemWith, serverOptions, serverSettings } = require('../overhead/server-options')
const { SUBJECTS } = require('./subjects')

const NAMES = Object.keys(SUBJECTS)
const DEFAULTS = { runs: 3, seconds: 4, warmup: 8, connections: 16 }

const USAGE = `Usage: npm run bench:instructions -- [options]

Counts the instructions of a request: what recording, boosting and tracking add
on the main thread of a server, as valgrind counts them, which no other work on
the machine changes.

  --subjects LIST     of ${NAMES.join(',')} (all)
  --runs N            times that each is switched on and off (${DEFAULTS.runs})
  --seconds S         of load that are counted each time, at a fortieth of the usual speed (${DEFAULTS.seconds})
  --warmup S          of load before that, not counted (${DEFAULTS.warmup})
  --connections N     of the closed loop (${DEFAULTS.connections})
  --server-cpus LIST  processors of the server, as taskset takes them (0)
  --helper-cpus LIST  processors of its other threads (0,1)
  --load-cpus LIST    processors of the load generator (1)
  --json FILE         every count, written after each process
  --resume            go on with the processes that FILE lacks
  --page FILE         write the page here; by default docs/instructions.md, when all was counted
  --generator FILE    the load generator (default: the one scripts/setup builds)
  --no-setup          do not look whether everything is built`

/** @param {string[]} args @returns {any} the options, by name */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    subjects: { type: 'string', default: NAMES.join(',') },
    ...serverOptions(DEFAULTS)
  }, (values, positionals) => problemWith(values, positionals, [['subjects', values.subjects.split(','), NAMES]]))
  const subjects = values.subjects.split(',')
  return { subjects, ...serverSettings(values), whole: subjects.length === NAMES.length && Number(values.runs) >= DEFAULTS.runs }
}

module.exports = { readArguments }
