'use strict'

// Starts the daemon edgewise-boostd and stays in front of it, as a service
// supervisor or a person at a terminal expects.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const { InvalidArgumentError, Option } = require('commander')
const { BOOSTD, nextStep } = require('../native/native-files')
const { name } = require('./arguments')
const { exitCodeOf } = require('./child')
const { Failure } = require('./failure')

/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** @param {import('commander').Command} program */
function add (program) {
  program.command('boostd')
    .summary('run the daemon that changes the frequency for servers without root')
    .description('Runs the daemon that changes the processor\'s frequency for servers that may not do so themselves, until SIGTERM or SIGINT; ' +
      'then the frequency is restored. Needs root, except with --actuator log and --status.')
    .option('--socket <PATH>', 'where it listens (default: /run/edgewise/boostd.sock)', name)
    .option('--allow-user <USER>', 'who may ask for a boost, by name or number; can be given several times (default: root and the user that starts it)', users)
    .addOption(new Option('--actuator <NAME>', 'what changes the frequency (default: auto, the first of cpufreq and epp that works here)').choices(['auto', 'cpufreq', 'epp', 'log']))
    .addOption(new Option('--max-level <LEVEL>', 'the highest level that is granted (default: high)').choices(['mid', 'high']))
    .option('--min-interval <US>', 'microseconds between two changes of one client; a few more at once are allowed (default: 100)', microseconds)
    .option('--status', 'print the counters of the daemon that runs, as Prometheus reads them')
    .option('--json', 'with --status: print them as JSON')
    .addHelpText('after', `
Examples:
  sudo edgewise boostd --allow-user www-data
  edgewise boostd --socket /tmp/boost/boostd.sock --actuator log
  edgewise boostd --status --json`)
    .action(async (options) => {
      process.exitCode = await boostd(options)
    })
}

/**
 * @param {string} text
 * @param {string[]} [before]
 * @returns {string[]}
 */
function users (text, before = []) {
  return [...before, name(text)]
}

/** @param {string} text */
function microseconds (text) {
  const value = /^\d+$/.test(text) ? Number(text) : NaN
  if (!(value >= 1 && value <= 1_000_000)) throw new InvalidArgumentError('Allowed is a whole number of microseconds from 1 to 1000000.')
  return value
}

/**
 * @param {{ socket?: string, allowUser?: string[], actuator?: string, maxLevel?: string, minInterval?: number, status?: boolean, json?: boolean }} options
 * @returns {Promise<number>} the daemon's exit code
 */
async function boostd (options) {
  if (!fs.existsSync(BOOSTD)) throw new Failure(`edgewise-boostd is not built for Node ${process.version}; next step: ${nextStep()}`)
  /** @type {[string, string | number | undefined][]} */
  const valued = [['--socket', options.socket], ['--actuator', options.actuator], ['--max-level', options.maxLevel], ['--min-interval', options.minInterval]]
  const args = valued.flatMap(([flag, value]) => value === undefined ? [] : [`${flag}=${value}`])
  for (const user of options.allowUser ?? []) args.push(`--allow-user=${user}`)
  if (options.status) args.push('--status')
  if (options.json) args.push('--json')
  return run(args)
}

/**
 * A session of its own: what the terminal sends to all comes once, from us.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
function run (args) {
  return new Promise((resolve, reject) => {
    // First: a signal may come as soon as it runs. It restores the frequency at the others; SIGQUIT would end it before.
    for (const signal of FORWARDED) process.on(signal, () => daemon.kill(signal === 'SIGQUIT' ? 'SIGTERM' : signal))
    const daemon = spawn(BOOSTD, args, { stdio: 'inherit', detached: true })
    daemon.once('error', (error) => reject(new Failure(`cannot start ${BOOSTD}: ${error.message}`)))
    daemon.once('exit', (code, signal) => resolve(exitCodeOf({ code, signal })))
  })
}

module.exports = { add }
