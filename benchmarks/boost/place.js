'use strict'

// Which processor is whose. The application has one of its own, helper threads
// of V8 included: a shared frequency slows those down as well. All that the
// benchmark starts otherwise (services, load generator) inherits the other.

const { execFileSync } = require('node:child_process')
const os = require('node:os')
const { TaskError } = require('../../scripts/tasks/step')

const APP_CPU = '0'
const OTHER_CPU = '1'

/** @throws {TaskError} when there is no second processor */
function leaveAppProcessor () {
  if (os.cpus().length < 2) throw new TaskError('bench:boost needs two processors: one is the application\'s alone')
  try {
    execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', OTHER_CPU, String(process.pid)], { stdio: 'pipe' })
  } catch (error) {
    throw new TaskError(`cannot leave CPU ${APP_CPU} to the application: ${error.stderr || error.message}`)
  }
}

module.exports = { APP_CPU, OTHER_CPU, leaveAppProcessor }
