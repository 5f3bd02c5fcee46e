'use strict'

const net = require('node:net')
const { delimiter, dirname } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { Option } = require('commander')
const { send } = require('../control')
const { findPatchedNode } = require('../patched-node')
const { name, percentile, port, seconds } = require('./arguments')
const { describe, start } = require('./child')
const { EXIT, Failure, note } = require('./failure')
const { listenersOf } = require('./process-tree')
const { megabytes, noTrace, prepareOut, recordedEnvironment, traceSize } = require('./recording')
const { quoted } = require('./record')
const report = require('./report')

const GRACE_MS = 10_000
const LOOK_MS = 50
const OFF_MS = 2000
const FLUSH_MS = 150
const PROGRESS_MS = 5000
const INSPECTOR_PORT = 9229
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
const OUR_STDERR = 2 // What children print must not mix with the report on stdout.

/** @typedef {import('./child').Child} Child */
/** @typedef {import('./process-tree').Listener} Listener */

/**
 * @typedef {object} ProfileOptions
 * @property {string} [load]
 * @property {number} [for]
 * @property {string} [out]
 * @property {number} [port]
 * @property {number} wait
 * @property {number} [percentile]
 * @property {boolean} [json]
 * @property {'stock' | 'patched'} node
 */

/** @param {import('commander').Command} program */
function add (program) {
  program.command('profile')
    .summary('start a server, load it, explain its slow requests')
    .description('Starts a server with recording on, waits until it listens, runs the load, stops both and prints the report. ' +
      'Without --load it records until --for seconds are over, the command ends or Ctrl-C is pressed.')
    .argument('<command...>', 'the server to run, after --')
    .option('--load <CMD>', 'shell command that sends the requests; it finds the server in $PORT and $URL', name)
    .option('--for <S>', 'seconds to record: from the begin of the load, or of the command without --load', seconds)
    .option('--out <DIR>', 'where the trace goes (default: EDGEWISE_OUT, else ./edgewise-<pid>)', name)
    .option('--port <P>', 'the port to wait for (default: the first that the command listens on)', port)
    .option('--wait <S>', 'seconds the server may take until it listens', seconds, 60)
    .option('--percentile <P>', 'the tail are the requests at or above it, of 100 (default: 99)', percentile)
    .option('--json', 'print the report as JSON')
    .addOption(new Option('--node <BUILD>', 'the Node.js to run').choices(['stock', 'patched']).default('stock'))
    .passThroughOptions()
    .addHelpText('after', `
Examples:
  edgewise profile --load 'autocannon -d 20 $URL' -- node app.js
  edgewise profile --load './replay.sh' --for 60 --percentile 99.9 -- npm start
  edgewise profile --for 30 -- node app.js`)
    .action(async (command, options) => {
      process.exitCode = await profile(command, options)
    })
}

/**
 * @param {string[]} command
 * @param {ProfileOptions} options
 * @returns {Promise<number>} the exit code
 */
async function profile (command, options) {
  if (options.port && await accepts(options.port)) {
    throw new Failure(`port ${options.port} is taken by another process: stop it, or let the server listen elsewhere`)
  }
  const path = options.node === 'patched' ? patchedPath(process.env.PATH) : process.env.PATH
  const out = prepareOut(options.out)
  const interrupt = interruption()
  note(`starting ${command.join(' ')}`)
  const app = await start(command, { env: recordedEnvironment({ ...process.env, PATH: path }, out), stdio: ['ignore', OUR_STDERR, OUR_STDERR] })
  let problem
  try {
    problem = options.load
      ? await underLoad(app, options.load, options, out, interrupt.signal)
      : await unloaded(app, options, out, interrupt.signal)
  } finally {
    if (!app.end) {
      note('stopping the server')
      await writeOut(app)
    }
    if (!await app.stop(GRACE_MS)) note(`it did not end within ${GRACE_MS / 1000} s of SIGTERM and was killed`)
  }
  const { files, bytes } = traceSize(out)
  if (interrupt.signal.aborted && (options.load || interrupt.signal.reason !== 'SIGINT')) {
    if (files > 0) note(`interrupted; what was recorded is in ${quoted(out)}`)
    return INTERRUPTED[/** @type {keyof typeof INTERRUPTED} */ (interrupt.signal.reason)]
  }
  interrupt.release()
  if (files === 0) throw new Failure(problem ? `${problem}; ${noTrace(out)}` : noTrace(out))
  note(`recorded ${megabytes(bytes)} in ${files} ${files === 1 ? 'file' : 'files'} in ${quoted(out)}; analysing`)
  report.print(out, { percentile: options.percentile, json: options.json })
  if (problem) note(problem)
  return problem ? EXIT.failure : EXIT.ok
}

/**
 * @param {string | undefined} search PATH
 * @returns {string} the same with the patched Node first: also behind npm and `#!`
 * @throws {Failure} it is not built
 */
function patchedPath (search) {
  const { file, built, howToBuild } = findPatchedNode()
  if (!built) throw new Failure(`--node patched: it is not built; next step: ${howToBuild} (about an hour, once), or use --node stock`)
  return [dirname(file), search].filter(Boolean).join(delimiter)
}

/**
 * @param {Child} app
 * @param {string} load
 * @param {ProfileOptions} options
 * @param {string} out
 * @param {AbortSignal} interrupted
 * @returns {Promise<string | undefined>} what went wrong although there is something to report
 */
async function underLoad (app, load, options, out, interrupted) {
  const listener = await listening(app, options, interrupted)
  if (!listener) return
  const url = `http://${listener.address}:${listener.port}`
  note(`the server listens on ${url}; load: ${load}`)
  const env = { ...process.env, PORT: String(listener.port), URL: url }
  const child = await start([load], { env, stdio: ['ignore', OUR_STDERR, OUR_STDERR], shell: true })
  const progress = reporting(out)
  const timeout = options.for ? pause(options.for * 1000) : never()
  try {
    const first = await Promise.race([
      child.done.then(() => 'load'), app.done.then(() => 'app'), timeout.then(() => 'time'), aborted(interrupted).then(() => 'interrupt')
    ])
    if (first === 'app' && app.end) return `the server ${describe(app.end)} before the load was over`
    if (first === 'load' && child.end && child.end.code !== 0) return `the load ${describe(child.end)}: ${load}`
  } finally {
    clearInterval(progress)
    await child.stop(GRACE_MS)
  }
}

/**
 * @param {Child} app
 * @param {ProfileOptions} options
 * @param {string} out
 * @param {AbortSignal} interrupted
 * @returns {Promise<string | undefined>}
 */
async function unloaded (app, options, out, interrupted) {
  note(options.for ? `recording for ${options.for} s; Ctrl-C ends it earlier` : 'recording; Ctrl-C ends it')
  const progress = reporting(out)
  const timeout = options.for ? pause(options.for * 1000) : never()
  await Promise.race([app.done, timeout, aborted(interrupted)])
  clearInterval(progress)
  if (app.end && !interrupted.aborted && app.end.code !== 0) return `the command ${describe(app.end)}`
}

/**
 * @param {Child} app
 * @param {ProfileOptions} options
 * @param {AbortSignal} interrupted
 * @returns {Promise<Listener | null>} null: interrupted
 * @throws {Failure} it ended, or did not listen in time
 */
async function listening (app, options, interrupted) {
  const deadline = performance.now() + options.wait * 1000
  while (!interrupted.aborted) {
    if (app.end) throw new Failure(`the server ${describe(app.end)} before it listened on a port`)
    const found = listenersOf(app.tree())
    const chosen = choose(found, options.port)
    if (chosen) {
      const others = found.filter((listener) => listener !== chosen).map((listener) => listener.port)
      if (others.length > 0 && !options.port) note(`it listens on ${others.join(', ')} too; --port chooses another`)
      return chosen
    }
    if (options.port && await accepts(options.port)) return { port: options.port, address: '127.0.0.1', pid: app.pid }
    if (performance.now() > deadline) {
      const which = options.port ? `port ${options.port}` : 'a TCP port'
      throw new Failure(`the server did not listen on ${which} within ${options.wait} s; --wait allows more, --port names the port`)
    }
    await sleep(LOOK_MS)
  }
  return null
}

/**
 * @param {Listener[]} listeners
 * @param {number | undefined} wanted
 */
function choose (listeners, wanted) {
  if (wanted) return listeners.find((listener) => listener.port === wanted)
  return listeners.find((listener) => listener.port !== INSPECTOR_PORT)
}

/**
 * A process that SIGTERM ends loses what it has not yet written: the end of the
 * load. So its recorders stop first, in order.
 *
 * @param {Child} app
 */
async function writeOut (app) {
  const asked = app.tree().map((pid) => send(pid, 'off', { timeoutMs: OFF_MS }).then(() => true, () => false))
  const answers = await Promise.all(asked)
  // Worker threads hear of it from their process; they flush at least this often.
  if (answers.includes(true)) await sleep(FLUSH_MS)
}

/** @param {number} wanted @returns {Promise<boolean>} whether somebody accepts connections there */
function accepts (wanted) {
  return new Promise((resolve) => {
    const socket = net.connect(wanted, '127.0.0.1')
    socket.once('connect', () => { socket.destroy(); resolve(true) })
    socket.once('error', () => resolve(false))
  })
}

/**
 * The first SIGINT, SIGTERM or SIGHUP aborts the signal; the second ends us at
 * once (children are killed as we exit).
 */
function interruption () {
  const controller = new AbortController()
  const names = /** @type {(keyof typeof INTERRUPTED)[]} */ (Object.keys(INTERRUPTED))
  const listeners = names.map((signal) => {
    const listener = () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED[signal])
      controller.abort(signal)
    }
    process.on(signal, listener)
    return { signal, listener }
  })
  const release = () => listeners.forEach(({ signal, listener }) => process.removeListener(signal, listener))
  return { signal: controller.signal, release }
}

/** @param {AbortSignal} signal */
function aborted (signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', resolve, { once: true })
  })
}

/** @param {number} ms; does not keep the process alive */
function pause (ms) {
  return sleep(ms, undefined, { ref: false })
}

function never () {
  return new Promise(() => {})
}

/** @param {string} out */
function reporting (out) {
  const begin = performance.now()
  return setInterval(() => {
    note(`recording: ${Math.round((performance.now() - begin) / 1000)} s, ${megabytes(traceSize(out).bytes)}`)
  }, PROGRESS_MS)
}

module.exports = { add }
