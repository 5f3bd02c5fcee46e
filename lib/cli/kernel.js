'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { createInterface } = require('node:readline')
const { InvalidArgumentError } = require('commander')
const { addonOf } = require('../bpf/scripts')
const { bpftrace, isInstalled } = require('../bpf/tracer')
const { burst } = require('../config/recording')
const { send } = require('../control')
const { layerScript, newLayerFile } = require('../kernel/layer')
const { processId, seconds } = require('./arguments')
const { EXIT, Failure, note } = require('./failure')

const LINE = /^[ESPWB] /
const LOST = /Lost (\d+) events/g

/** @param {import('commander').Command} program */
function add (program) {
  program.command('kernel')
    .summary('record what the kernel does under the events of a process')
    .description(`Records beside the trace of a process what the kernel does for its threads while their
events run: system calls, when another thread had the processor, what they slept in and
who woke them, interrupts, page faults, pages that were not cached, block devices; until
Ctrl-C or for some seconds. Then report --request ID shows it. Needs root, and bpftrace
(Debian: apt install bpftrace).`)
    .argument('<PID>', 'process id of the recorded process', processId)
    .option('--seconds <N>', 'end after so long', seconds)
    .option('--burst <BURST>', 'only in bursts, as EDGEWISE_BURST has them: 32/128', bursts)
    .addHelpText('after', `
Example:
  edgewise kernel 4711 --seconds 10`)
    .action(async (pid, options) => {
      process.exitCode = await record(pid, options)
    })
}

/** @param {string} text @returns {number} */
function bursts (text) {
  const config = burst(text)
  if (config === undefined || config === 0) throw new InvalidArgumentError('Allowed is DURATION/PERIOD in ms, both powers of two, such as 32/128; or a whole number.')
  return config
}

/**
 * @param {number} pid
 * @param {{ seconds?: number, burst?: number }} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function record (pid, options) {
  if (process.getuid?.() !== 0) throw new Failure(`only root may use BPF: sudo edgewise kernel ${pid}`)
  if (!isInstalled()) throw new Failure('bpftrace is not installed: apt install bpftrace')
  const { script, directory } = await explained(async () => {
    const { recording, out } = await send(pid, 'status')
    if (!recording) throw new Failure(`process ${pid} is not recording: edgewise on ${pid}`)
    return { script: layerScript(pid, addonOf(pid), options), directory: out }
  })
  const file = newLayerFile(directory, pid)
  const { events, lost, problems, code } = await traced(pid, script, file)
  if (events === 0 && code !== 0) {
    fs.rmSync(file)
    throw new Failure(`bpftrace: ${problems.trim().split('\n').at(-1)}`)
  }
  process.stdout.write(`process ${pid}: ${events} events to ${file}${lost > 0 ? `; ${lost} lines were lost, as there was no room for them` : ''}\n`)
  return EXIT.ok
}

/**
 * @param {number} pid
 * @param {string} script
 * @param {string} file gets its lines
 * @returns {Promise<{ events: number, lost: number, problems: string, code: number | null }>}
 */
async function traced (pid, script, file) {
  const [command, ...args] = bpftrace(['-p', String(pid), '-e', script])
  const tracer = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, BPFTRACE_MAP_KEYS_MAX: '65536' } })
  const stop = () => tracer.kill('SIGINT')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  const out = fs.createWriteStream(file, { flags: 'a' })
  let events = 0
  let problems = ''
  let begun = false
  tracer.stderr.setEncoding('utf8').on('data', (text) => { problems = (problems + text).slice(-65536) })
  const lines = createInterface({ input: tracer.stdout })
  lines.on('line', (line) => {
    if (!begun && line === 'T') note(`recording the kernel under process ${pid}; Ctrl-C ends it`)
    begun ||= line === 'T'
    if (!LINE.test(line)) return
    if (line.startsWith('E')) events++
    out.write(`${line}\n`)
  })
  const [code] = await once(tracer, 'close')
  out.end()
  await once(out, 'close')
  const lost = Array.from(problems.matchAll(LOST), ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
  return { events, lost, problems, code }
}

/** @template T @param {() => Promise<T>} ask @returns {Promise<T>} */
async function explained (ask) {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`kernel: ${/** @type {Error} */ (error).message}`)
  }
}

module.exports = { add }
