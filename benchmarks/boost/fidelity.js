'use strict'

// How true the emulated frequency is: runs build/benchmarks/boost/edgewise-boost-fidelity.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { TaskError } = require('../../scripts/tasks/step')
const { BUILD } = require('../../scripts/tasks/tree')
const { APP_CPU } = require('./place')

const PROGRAM = path.join(BUILD, 'benchmarks', 'boost', 'edgewise-boost-fidelity')

/**
 * @param {{ delaysUs: number[], signal: AbortSignal }} options
 * @returns {Promise<any>} its JSON: description, call_ns, levels, transitions
 * @throws {TaskError} with what it said
 */
async function measureFidelity ({ delaysUs, signal }) {
  if (!fs.existsSync(PROGRAM)) throw new TaskError(`${PROGRAM} is not built. Next step: scripts/setup.`)
  const args = ['--cpu-list', APP_CPU, PROGRAM, '--delays', [0, ...delaysUs].join(',')]
  try {
    const { stdout } = await promisify(execFile)('taskset', args, { signal })
    return JSON.parse(stdout)
  } catch (error) {
    signal.throwIfAborted()
    throw new TaskError(`${path.basename(PROGRAM)}: ${(error.stderr || error.message).trim()}`)
  }
}

module.exports = { measureFidelity }
