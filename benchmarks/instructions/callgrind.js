'use strict'

// A server under valgrind's callgrind, which counts the instructions of each
// thread. It counts nothing, and runs faster, until it is told to.

const { execFile, execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { TaskError } = require('../../scripts/tasks/step')

const run = promisify(execFile)

/**
 * @param {import('../overhead/variants').Variant} variant
 * @param {string} directory where valgrind may write
 * @returns {import('../overhead/variants').Variant} the same under valgrind
 */
function underCallgrind (variant, directory) {
  return {
    ...variant,
    start: (place) => {
      const { node = process.execPath, args = [], ...rest } = variant.start(place)
      // Valgrind gives up where it does not know the debug information's version.
      const stripped = path.join(directory, 'node')
      execFileSync('strip', ['--strip-debug', '-o', stripped, node])
      const options = ['--tool=callgrind', '--instr-atstart=no', '--separate-threads=yes', '--fair-sched=yes',
        `--callgrind-out-file=${path.join(directory, 'counts')}`]
      return { ...rest, node: 'valgrind', args: [...options, stripped, ...args] }
    }
  }
}

/**
 * @param {number} pid of a server under callgrind
 * @param {string} directory as it was given to underCallgrind()
 * @param {() => Promise<number>} task resolves to a number of requests
 * @returns {Promise<number>} instructions of the main thread a request
 */
async function countInstructions (pid, directory, task) {
  const control = (/** @type {string[]} */ ...args) => run('callgrind_control', [...args, String(pid)])
  await control('--instr=on')
  await control('--zero')
  const requests = await task()
  await control('--dump')
  await control('--instr=off')
  return takeCount(directory) / requests
}

// Each dump is a file for each thread, counts.N-01 that of the main thread.
function takeCount (directory) {
  const dumps = fs.readdirSync(directory).filter((name) => name.startsWith('counts'))
  const main = dumps.find((name) => /^counts\.\d+-01$/.test(name))
  const total = main && /^totals: (\d+)$/m.exec(fs.readFileSync(path.join(directory, main), 'utf8'))?.[1]
  for (const name of dumps) fs.rmSync(path.join(directory, name))
  if (!total) throw new TaskError(`callgrind has left no count of the main thread in ${directory}`)
  return Number(total)
}

module.exports = { countInstructions, underCallgrind }
