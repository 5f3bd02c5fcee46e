'use strict'

// What native programs measure, of build/benchmarks/boost.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { TaskError } = require('../../scripts/tasks/step')
const { BUILD } = require('../../scripts/tasks/tree')
const { APP_CPU, OTHER_CPU } = require('./place')

/**
 * How true the emulated frequency is.
 * @param {{ delaysUs: number[], signal: AbortSignal }} options
 * @returns {Promise<any>} description, call_ns, levels, transitions
 * @throws {TaskError} with what the program said
 */
function measureFidelity ({ delaysUs, signal }) {
  return run('edgewise-boost-fidelity', ['--delays', [0, ...delaysUs].join(',')], APP_CPU, signal)
}

/**
 * How soon the actuator is asked, from causes whose instant is known.
 * @param {{ signal: AbortSignal }} options
 * @returns {Promise<Record<'gc' | 'queue' | 'head', { count: number, p50: number, p99: number, max: number }>>} ns
 * @throws {TaskError} with what the program said
 */
function measureReactions ({ signal }) {
  return run('edgewise-boost-reaction', ['--loop-cpu', APP_CPU], `${APP_CPU},${OTHER_CPU}`, signal)
}

async function run (name, args, cpus, signal) {
  const program = path.join(BUILD, 'benchmarks', 'boost', name)
  if (!fs.existsSync(program)) throw new TaskError(`${program} is not built. Next step: scripts/setup.`)
  try {
    const { stdout } = await promisify(execFile)('taskset', ['--cpu-list', cpus, program, ...args], { signal })
    return JSON.parse(stdout)
  } catch (error) {
    signal.throwIfAborted()
    throw new TaskError(`${name}: ${(error.stderr || error.message).trim()}`)
  }
}

module.exports = { measureFidelity, measureReactions }
