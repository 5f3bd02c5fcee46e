'use strict'

// One run of the load generator, on a processor of its own.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { TaskError } = require('../../scripts/tasks/step')
const { BUILD } = require('../../scripts/tasks/tree')
const { GENERATOR_COMMAND } = require('./real-time')

const DEFAULT_GENERATOR = path.join(BUILD, 'benchmarks', 'load', 'edgewise-load')

/**
 * @param {string | string[]} urls
 * @param {string[]} args of edgewise-load, without --json
 * @param {{ cpus: string, generator?: string, realTime?: boolean, signal?: AbortSignal }} options
 *   realTime: nothing displaces it; signal: ends it
 * @returns {Promise<any>} its summary (docs/load.md)
 * @throws {TaskError} when nothing was measured
 */
async function runLoad (urls, args, { cpus, generator = DEFAULT_GENERATOR, realTime = false, signal }) {
  if (!fs.existsSync(generator)) throw new TaskError(`${generator} is not built. Next step: scripts/setup.`)
  const command = ['-c', cpus, ...realTime ? GENERATOR_COMMAND : [], generator, ...[urls].flat(), ...args, '--json']
  const running = promisify(execFile)('taskset', command, { maxBuffer: 1 << 26, signal })
  const kill = () => running.child.kill() // Nothing outlives the benchmark, however it ends.
  process.once('exit', kill)
  try {
    const { stdout } = await running
    return JSON.parse(stdout)
  } catch (error) {
    throw new TaskError(`edgewise-load ${urls} ${args.join(' ')}: ${error.stderr || error.message}`)
  } finally {
    process.removeListener('exit', kill)
  }
}

module.exports = { runLoad, DEFAULT_GENERATOR }
