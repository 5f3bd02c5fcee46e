'use strict'

// One micro workload of a round: a process of its own, on a processor of its own.

const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { TaskError } = require('../../scripts/tasks/step')

const PROCESS = path.join(__dirname, 'micro-process.js')

/**
 * @typedef {object} Turns what a process tells, by block
 * @property {number} first before tracking was ever on
 * @property {number[]} off
 * @property {number[]} on empty where this Node cannot
 */

/**
 * @param {string} workload
 * @param {typeof import('./layouts').VARIANTS[number]} variant
 * @param {import('./layouts').Programs} programs
 * @param {{ blockMs: number, serverCpus: string }} settings
 * @returns {Promise<Turns>} ns an operation
 */
async function measureMicro (workload, variant, programs, { blockMs, serverCpus }) {
  const command = ['-c', serverCpus, programs[variant], PROCESS, programs.addon, workload, String(blockMs)]
  try {
    const { stdout } = await promisify(execFile)('taskset', command)
    return JSON.parse(stdout)
  } catch (error) {
    throw new TaskError(`${workload}, ${variant}: ${error.stderr || error.message}`)
  }
}

module.exports = { measureMicro }
