'use strict'

// Running the tools that set-up and checks are made of: progress on stderr, the
// full output in a log, and its end on the screen when the tool failed.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { BUILD } = require('./tree')

const TAIL_LINES = 40
const STILL_RUNNING_MS = 30_000
/** @type {NodeJS.Signals[]} */
const PASSED_ON = ['SIGTERM', 'SIGHUP']

/** A failure whose message already says what to do: it is printed without a stack. */
class TaskError extends Error {
  /** @param {string} message @param {number} [exitCode] 1: failure, 2: usage, 0: help that was asked for */
  constructor (message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** @param {string} text one line of progress */
function say (text) {
  process.stderr.write(`${text}\n`)
}

/** @param {number} since milliseconds of Date.now() */
function elapsed (since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}

/**
 * Runs one tool to its end, its output going to build/log/NAME.log.
 * @param {string} name the log's name
 * @param {string} title what is being done, for the progress line
 * @param {string[]} command the tool and its arguments
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, hint?: string, progress?: (log: string) => string, exitCodes?: number[]}} [options]
 *   hint: what to do when it fails; progress: how far the tool is, from what it has printed; exitCodes: those that
 *   are no failure (0)
 * @returns {Promise<string>} what it printed
 * @throws {TaskError} with the end of the log
 */
async function runStep (name, title, command, options = {}) {
  const ends = (options.exitCodes ?? [0]).map(code => `exit code ${code}`)
  const log = path.join(BUILD, 'log', `${name}.log`)
  fs.mkdirSync(path.dirname(log), { recursive: true })
  const out = fs.openSync(log, 'w')
  fs.writeSync(out, `$ ${command.join(' ')}\n`)
  const began = Date.now()
  say(`${title} ...`)
  const progress = () => options.progress?.(fs.readFileSync(log, 'utf8')) || 'still at it'
  const ticking = setInterval(() => say(`  ${progress()} after ${elapsed(began)} (log: ${log})`), STILL_RUNNING_MS)
  try {
    const end = await finished(command, { cwd: options.cwd, env: options.env, stdio: ['ignore', out, out] })
    const text = fs.readFileSync(log, 'utf8')
    if (ends.includes(end)) {
      say(`  ${title.replace(/:.*/, '')}: done in ${elapsed(began)}`)
      return text
    }
    const tail = text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
    const hint = options.hint ? `\n${options.hint}` : ''
    throw new TaskError(`${tail}\n\n${title}: failed (${end}). The whole log is ${log}${hint}`)
  } finally {
    clearInterval(ticking)
    fs.closeSync(out)
  }
}

/**
 * @param {string[]} command
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<string>} how it ended: 'exit code N', 'signal S' or why it did not start
 */
function finished ([tool, ...args], options) {
  return new Promise(resolve => {
    const child = spawn(tool, args, options)
    // Ctrl-C reaches both; a tool must not go on when only we are told to end, and we end after it.
    let received
    const pass = signal => {
      received = signal
      child.kill(signal)
    }
    for (const signal of PASSED_ON) process.on(signal, pass)
    const settle = end => {
      for (const signal of PASSED_ON) process.removeListener(signal, pass)
      if (received) process.kill(process.pid, received)
      resolve(end)
    }
    child.on('error', error => settle(`${tool} did not start: ${error.message}`))
    child.on('exit', (code, signal) => settle(signal ? `signal ${signal}` : `exit code ${code}`))
  })
}

/**
 * Runs one tool with its output on the screen.
 * @param {string[]} command
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<boolean>} whether it succeeded
 */
async function runShown (command, options = {}) {
  const end = await finished(command, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  if (end !== 'exit code 0') say(`${command[0]}: ${end}`)
  return end === 'exit code 0'
}

/**
 * Runs one short tool and keeps what it prints.
 * @param {string[]} command
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 * @returns {{ok: boolean, stdout: string, stderr: string}} ok is false too when it did not start
 */
function capture ([tool, ...args], options = {}) {
  const result = spawnSync(tool, args, { maxBuffer: 1 << 28, ...options, encoding: 'utf8' })
  const stderr = result.error ? result.error.message : result.stderr
  return { ok: result.status === 0, stdout: result.stdout ?? '', stderr: stderr ?? '' }
}

/**
 * The entry of a script: runs its task and turns a failure into an exit code.
 * @param {(args: string[]) => Promise<void>} task
 */
function main (task) {
  task(process.argv.slice(2)).catch(error => {
    const exitCode = error instanceof TaskError ? error.exitCode : 1
    const print = exitCode === 0 ? console.log : say
    print(error instanceof TaskError ? error.message : error.stack)
    process.exitCode = exitCode
  })
}

module.exports = { TaskError, say, elapsed, runStep, runShown, capture, main }
