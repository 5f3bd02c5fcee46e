'use strict'

// For how long a sampler stops a running process when it is switched on, and how
// much longer a server takes to start with it.

const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { withServer } = require('../../overhead/cell')
const { scratchDirectory } = require('../scratch')
const { PLACE, PRELOAD } = require('./tools')

const PROGRAM = path.join(__dirname, 'pause-program.js')

/** @typedef {{ beforeMs: number, pauseMs: number }} Pause the longest turn of a loop whose turns take 1 ms, before and from when it is on */

/**
 * @param {NonNullable<import('./tools').Tool['switched']>} switched
 * @param {{ serverCpus: string }} settings
 * @returns {Promise<Pause>} of a fresh process
 * @throws {Error} with what it wrote to stderr
 */
async function measurePause ({ sampler, env }, { serverCpus }) {
  const { directory: scratch, remove } = scratchDirectory()
  try {
    const running = promisify(execFile)('taskset', ['-c', serverCpus, process.execPath, PROGRAM], {
      cwd: scratch,
      env: { ...process.env, ...env, STACKS_SAMPLER: path.join(PRELOAD, `${sampler}.js`), STACKS_PEERS: PLACE, STACKS_OUT: path.join(scratch, 'trace') }
    })
    const kill = () => running.child.kill('SIGKILL') // Nothing outlives the benchmark, however it ends.
    process.once('exit', kill)
    try {
      return JSON.parse((await running).stdout)
    } finally {
      process.removeListener('exit', kill)
    }
  } finally {
    remove()
  }
}

/**
 * @param {import('../../overhead/variants').Variant['start']} start
 * @param {import('../../overhead/cell').Settings} settings
 * @returns {Promise<number>} ms until a server listens
 */
async function measureStart (start, settings) {
  const began = performance.now()
  return withServer('hello', start, settings, async () => performance.now() - began)
}

module.exports = { measurePause, measureStart }
