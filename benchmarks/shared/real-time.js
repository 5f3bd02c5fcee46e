'use strict'

// The scheduler's real-time class: what else runs on the machine does not
// displace who is in it. Needs root (CAP_SYS_NICE).

const { execFileSync } = require('node:child_process')
const { TaskError } = require('../../scripts/tasks/step')

/** Of servers. Their services' is higher. A load generator's is higher: one elsewhere would not wait for the server's threads either. */
const SERVER_PRIORITY = 5
const HELPER_PRIORITY = 7
const SERVICE_PRIORITY = 8
const GENERATOR_PRIORITY = 10

/** What runs a command as a load generator in real time. */
const GENERATOR_COMMAND = ['chrt', '--fifo', String(GENERATOR_PRIORITY)]

/** @returns {boolean} whether this user may */
function mayRunInRealTime () {
  try {
    execFileSync('chrt', ['--fifo', String(GENERATOR_PRIORITY), 'true'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/**
 * All threads of the processes, those that begin meanwhile too, are in real time while `task` runs.
 * @template T
 * @param {number[]} pids
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 * @throws {TaskError} when a process is gone
 */
async function inRealTime (pids, task) {
  for (const pid of pids) schedule(pid, ['--fifo'], SERVER_PRIORITY)
  const result = await task()
  for (const pid of pids) schedule(pid, ['--other'], 0)
  return result
}

/**
 * @param {number} pid
 * @param {string[]} policy
 * @param {number} priority
 */
function schedule (pid, policy, priority) {
  changeScheduling([...policy, '--all-tasks', '--pid', String(priority), String(pid)], pid)
}

/**
 * A server: of the priority of its loop V8's threads would wait until it sleeps, and code would stay uncompiled.
 * @param {number} pid
 */
function scheduleServer (pid) {
  schedule(pid, ['--fifo'], HELPER_PRIORITY)
  changeScheduling(['--fifo', '--pid', String(SERVER_PRIORITY), String(pid)], pid)
}

/** @param {string[]} args @param {number} pid */
function changeScheduling (args, pid) {
  try {
    execFileSync('chrt', args, { stdio: 'pipe' })
  } catch (error) {
    throw new TaskError(`chrt of process ${pid}: ${error.stderr || error.message}`)
  }
}

module.exports = { inRealTime, mayRunInRealTime, schedule, scheduleServer, GENERATOR_COMMAND, SERVICE_PRIORITY }
