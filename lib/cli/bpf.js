'use strict'

const { Argument } = require('commander')
const { addonOf, all, find, scriptFor } = require('../bpf/scripts')
const { bpftrace, isInstalled } = require('../bpf/tracer')
const { listed } = require('../named-texts')
const { processId, seconds } = require('./arguments')
const { EXIT, Failure } = require('./failure')
const { runForeground } = require('./foreground')

/** @param {import('commander').Command} program */
function add (program) {
  program.command('bpf')
    .summary('watch a running process with bpftrace')
    .description(`Runs a ready script of bpftrace on the probes of a recorded process, until Ctrl-C
or for some seconds; or prints the script. Without a name it tells which scripts there
are. Needs root, and bpftrace (Debian: apt install bpftrace).`)
    .argument('[NAME]', 'the script')
    .addArgument(new Argument('[PID]', 'process id of the recorded process').argParser(processId))
    .option('--seconds <N>', 'end after so long', seconds)
    .option('--print', 'print the script instead')
    .addHelpText('after', `
Examples:
  edgewise bpf
  sudo edgewise bpf latency 4711 --seconds 10
  edgewise bpf off-cpu 4711 --print > mine.bt`)
    .action(async (script, pid, options) => {
      process.exitCode = script === undefined ? list() : await run(script, pid, options)
    })
}

/** @returns {number} the exit code */
function list () {
  process.stdout.write(listed(all()))
  return EXIT.ok
}

/**
 * @param {string} asked
 * @param {number | undefined} pid
 * @param {{ seconds?: number, print?: boolean }} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function run (asked, pid, options) {
  const script = find(asked)
  if (script === undefined) throw new Failure(`${JSON.stringify(asked)} is no script: there are ${all().map(({ name }) => name).join(', ')}`, EXIT.usage)
  if (pid === undefined) throw new Failure(`of which process? edgewise bpf ${asked} PID`, EXIT.usage)
  const text = scriptFor(script, pid, addonOfProcess(pid), options.seconds)
  if (options.print) {
    process.stdout.write(text)
    return EXIT.ok
  }
  if (process.getuid?.() !== 0) throw new Failure(`only root may use BPF: sudo edgewise bpf ${asked} ${pid}`)
  if (!isInstalled()) throw new Failure('bpftrace is not installed: apt install bpftrace, or --print the script')
  return runForeground(bpftrace(['-p', String(pid), '-e', text]), process.env)
}

/** @param {number} pid @returns {string} */
function addonOfProcess (pid) {
  try {
    return addonOf(pid)
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message)
  }
}

module.exports = { add }
