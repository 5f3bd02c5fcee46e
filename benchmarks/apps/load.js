'use strict'

// Runs edgewise-load.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const { TaskError } = require('../../scripts/tasks/step')

const BINARY = path.join(__dirname, '../../build/benchmarks/load/edgewise-load')
const MORE_OFTEN = -10 // niceness

/**
 * One run of the load generator to its end.
 * @param {object} options
 * @param {string} [options.binary] path of edgewise-load; default: the project's build
 * @param {string} options.url
 * @param {object} options.mix as edgewise-load reads it
 * @param {string} options.folder for the mix file
 * @param {string[]} options.args what else to pass, e.g. --rate
 * @param {AbortSignal} options.signal interrupts the run
 * @param {boolean} [options.progress] a line every 5 s on stderr
 * @param {string[]} [options.launcher] a command that runs it, e.g. chrt and its arguments
 * @returns {Promise<any>} its JSON summary, see docs/load.md
 * @throws {TaskError} when there is no summary; when interrupted, the signal's reason
 */
async function runLoad ({ binary = BINARY, url, mix, folder, args, signal, progress = false, launcher = [] }) {
  if (!fs.existsSync(binary)) {
    throw new TaskError(`${binary} is missing: run scripts/setup, which builds the load generator`)
  }
  const mixFile = path.join(folder, 'mix.json')
  fs.writeFileSync(mixFile, JSON.stringify(mix, null, 2))
  const command = [...launcher, binary, url, '--mix', mixFile, '--json', ...(progress ? ['--progress'] : []), ...args]
  const child = spawn(command[0], command.slice(1),
    { stdio: ['ignore', 'pipe', progress ? 'inherit' : 'pipe'], detached: true })
  favour(child.pid)
  const interrupt = () => child.kill('SIGINT')
  signal.addEventListener('abort', interrupt)
  process.once('exit', interrupt) // Nothing outlives who started it, however that ends.
  try {
    const output = await collect(child)
    signal.throwIfAborted()
    if (!output.stdout.startsWith('{')) {
      throw new TaskError(`edgewise-load failed (${output.how})\n${output.stderr.trimEnd()}`)
    }
    return JSON.parse(output.stdout)
  } finally {
    signal.removeEventListener('abort', interrupt)
    process.removeListener('exit', interrupt)
  }
}

/** The generator sleeps most of the time; it should be on time when it wakes. */
function favour (pid) {
  try {
    os.setPriority(pid, MORE_OFTEN)
  } catch {
    // Only root may: its lag says whether it was needed.
  }
}

/** @returns {Promise<{how: string, stdout: string, stderr: string}>} */
function collect (child) {
  return new Promise(resolve => {
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => { stdout += chunk })
    child.stderr?.on('data', chunk => { stderr += chunk })
    child.on('error', error => resolve({ how: error.message, stdout: '', stderr }))
    child.on('close', (code, signal) => resolve({ how: signal ?? `exit code ${code}`, stdout, stderr }))
  })
}

module.exports = { BINARY, runLoad }
