#!/usr/bin/env node
'use strict'

// Runs one application under open-loop load: `node benchmarks/apps/run.js etherpad`.

const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')

const { TaskError, main, say } = require('../../scripts/tasks/step')
const { NAMES, findApp, prepare, withContext } = require('./app')
const { runLoad } = require('./load')
const { describeRun } = require('./summary')

const CALIBRATION_CONNECTIONS = 16
const CALIBRATION_WARMUP_S = 3
const CALIBRATION_S = 6
const LOAD_OF_SATURATION = 0.6
const WARMUP_S = 5

/**
 * What runApp() takes; undefined means the default.
 * @typedef {object} RunOptions
 * @property {number} [rate] mean arrivals per second; default: calibrated
 * @property {number} [durationS] seconds measured (30)
 * @property {number} [warmupS] seconds of load before that (5)
 * @property {string} [node] the Node.js that runs the application; default: this one
 * @property {string[]} [nodeArgs] arguments for it, e.g. ['--require', '/x/lib/register.js']
 * @property {Record<string, string>} [env] environment of the application's process only:
 *   neither its services nor the calibration see it. EDGEWISE_* and NODE_OPTIONS
 *   of this process are not passed on: give them here
 * @property {number} [workers] cluster workers (1: no cluster)
 * @property {string} [cpus] the processors of the application's process, as taskset takes them
 * @property {number} [seed] of the load (1)
 * @property {boolean} [stamps] responses come when the kernel got them (edgewise-load --stamps)
 * @property {string} [samples] file for the raw samples (CSV)
 * @property {string} [load] path of edgewise-load
 * @property {string[]} [launcher] a command that runs it, e.g. chrt and its arguments
 * @property {(text: string) => void} [say] one line of progress; default: stderr
 * @property {boolean} [progress] a line every 5 s while the load runs
 * @property {AbortSignal} [signal] stops everything; runApp() then throws its reason
 * @property {(running: import('./app').Running) => Promise<void> | void} [onServing] called before the load
 * @property {(running: import('./app').Running) => Promise<void> | void} [onLoaded]
 *   called after the load, while the application still runs
 */

/**
 * Installs an application and what it needs, finds a rate if none is given (60 %
 * of its saturation throughput, measured on a bare process of it), starts it
 * afresh with its data as new, runs the load, and stops all that it started,
 * also when it fails or is interrupted.
 *
 * The process that is started with nodeArgs and env gets no other requests than
 * those of the load: load.sent_total of them, warm-up included. It is ended by
 * SIGTERM; `ended.killed` says that it did not comply and got SIGKILL.
 * @param {string | import('./app').App} which one of NAMES in app.js, or one defined elsewhere
 * @param {RunOptions} [options]
 * @returns {Promise<{app: string, node: string, workers: number, rate: number,
 *   saturation_per_s: number | null, load: any, pid: number,
 *   ended: {code: number | null, signal: string | null, killed: boolean}}>}
 *   `load`: the summary of edgewise-load (docs/load.md);
 *   `saturation_per_s`: null when the rate was given
 * @throws {TaskError} when something cannot be installed or started, or the
 *   application dies under load: its message holds the end of the log
 */
async function runApp (which, options = {}) {
  const app = findApp(which)
  const { name } = app
  const tell = options.say ?? say
  const workers = options.workers ?? 1
  checkWorkers(app, workers)
  await prepare(app)
  options.signal?.throwIfAborted()
  let rate = options.rate
  let saturated = null
  if (rate === undefined) {
    tell(`${name}: looking for its saturation throughput (${CALIBRATION_WARMUP_S + CALIBRATION_S} s)`)
    saturated = await calibrate(app, options)
    rate = Math.max(1, Math.round(saturated * LOAD_OF_SATURATION))
    tell(`${name}: ${saturated.toFixed(0)} requests/s at saturation; ${rate}/s is ${100 * LOAD_OF_SATURATION} % of it`)
  }
  return withApp(app, options, async (running, context) => {
    const { durationS = 30, warmupS = WARMUP_S } = options
    tell(`${name}: ${rate} requests/s for ${warmupS} s of warm-up and ${durationS} s`)
    await options.onServing?.(running)
    const load = await loadOn(app, running, context, { ...options, rate, durationS, warmupS })
    await options.onLoaded?.(running)
    const ended = await running.stop()
    return { app: name, node: context.node, workers, rate, saturation_per_s: saturated, load, pid: running.pid, ended }
  })
}

/**
 * The saturation throughput of an application's bare process.
 * @param {string | import('./app').App} which
 * @param {RunOptions} [options] of which node, workers, load and signal count
 * @returns {Promise<number>} responses per second, closed loop
 */
function calibrate (which, options = {}) {
  return saturation(which, { ...options, nodeArgs: [], env: {} })
}

/**
 * The saturation throughput of an application's process as the options start it.
 * @param {string | import('./app').App} which
 * @param {RunOptions} options
 * @returns {Promise<number>} responses per second, closed loop
 */
async function saturation (which, options) {
  const app = findApp(which)
  const quiet = { ...options, progress: false }
  return withApp(app, quiet, async (running, context) => {
    await options.onServing?.(running)
    const load = await generate(app, running, context, quiet, ['--closed', '--connections',
      CALIBRATION_CONNECTIONS, '--warmup', CALIBRATION_WARMUP_S, '--duration', CALIBRATION_S].map(String))
    if (load.errors > 0) throw new TaskError(`${app.name}: ${load.errors} errors at saturation; the first: ${load.first_error}`)
    return load.achieved_rate_per_s
  })
}

/**
 * Runs a task while an application serves, with fresh data. Installed before.
 * @template T
 * @param {string | import('./app').App} which
 * @param {RunOptions} options of which node, nodeArgs, env, workers and signal count
 * @param {(running: import('./app').Running, context: import('./app').Context) => Promise<T>} task
 * @returns {Promise<T>}
 */
async function withApp (which, options, task) {
  const app = findApp(which)
  return withContext(app.name, options, async context => {
    const running = await app.start(context)
    try {
      return await task(running, context)
    } finally {
      await running.stop()
    }
  })
}

/**
 * One open-loop load on an application that serves.
 * @param {string | import('./app').App} which
 * @param {import('./app').Running} running
 * @param {import('./app').Context} context
 * @param {RunOptions & { rate: number, durationS: number }} options of which those of the load count; warmupS: none by default
 * @returns {Promise<any>} the summary of edgewise-load
 * @throws {TaskError} when the application dies under it: its message holds the end of the log
 */
function loadOn (which, running, context, options) {
  const { rate, durationS, warmupS = 0, seed = 1 } = options
  const reuse = context.workers > 1 ? 'random' : 'recent'
  const args = ['--reuse', reuse, '--rate', rate, '--duration', durationS, '--warmup', warmupS, '--seed', seed].map(String)
  if (options.stamps) args.push('--stamps')
  if (options.samples) args.push('--samples', path.resolve(options.samples))
  return generate(findApp(which), running, context, options, args)
}

async function generate (app, running, context, options, args) {
  const own = new AbortController()
  const signal = AbortSignal.any([context.signal, own.signal])
  let died = ''
  const watch = running.ended.then(how => { died = how; own.abort() })
  const mix = app.mix({ workers: context.workers })
  mix.variables = { ...mix.variables, ...running.variables }
  const load = runLoad({ binary: options.load, url: running.url, mix, folder: context.runFolder, args, signal, progress: options.progress, launcher: options.launcher })
  await Promise.race([load.catch(() => {}), watch])
  if (died) {
    await load.catch(() => {})
    throw new TaskError(`${app.name} did not survive the load: it ${died}. The end of its log:\n${running.logTail()}`)
  }
  return load
}

function checkWorkers (app, workers) {
  const [least, most] = [app.workers[0], app.workers.at(-1)]
  if (Number.isInteger(workers) && workers >= least && workers <= most) return
  const allowed = most === Infinity ? `${least} or more` : least === most ? String(least) : `${least} to ${most}`
  throw new TaskError(`${app.name} cannot run with ${workers} workers; allowed: ${allowed}`, 2)
}

/**
 * Runs a task with a signal that Ctrl-C, SIGTERM and SIGHUP abort. The task
 * cleans up when it is; the second Ctrl-C does not wait for that.
 * @param {(signal: AbortSignal) => Promise<void>} task
 */
async function interruptible (task) {
  const controller = new AbortController()
  let received = ''
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => {
      const code = 128 + os.constants.signals[name]
      if (received) process.exit(code) // impatient: what runs is killed on exit
      received = name
      say('stopping what was started ...')
      controller.abort(new TaskError(`interrupted by ${name}`, code))
    })
  }
  await task(controller.signal)
}

const USAGE = `node benchmarks/apps/run.js NAME [options]
  NAME            ${NAMES.join(', ')}
  --rate R        requests per second (default: 60 % of the saturation throughput)
  --duration S    seconds measured (30)
  --warmup S      seconds of load before that (5)
  --node PATH     the Node.js that runs the application (this one)
  --node-arg=ARG  an argument for it; may be given again
  --env K=V       environment of the application's process; may be given again
  --workers N     cluster workers (1)
  --seed N        of the load (1)
  --samples FILE  raw samples, one CSV row a request
  --load PATH     edgewise-load (build/benchmarks/load/edgewise-load)
  --calibrate     only find the saturation throughput
  --json          print the result as JSON`

const FLAGS = /** @satisfies {import('node:util').ParseArgsConfig['options']} */ ({
  rate: { type: 'string' },
  duration: { type: 'string' },
  warmup: { type: 'string' },
  node: { type: 'string' },
  'node-arg': { type: 'string', multiple: true },
  env: { type: 'string', multiple: true },
  workers: { type: 'string' },
  seed: { type: 'string' },
  samples: { type: 'string' },
  load: { type: 'string' },
  calibrate: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' }
})

async function cli (args) {
  const { values, positionals } = parse(args)
  if (values.help) throw new TaskError(USAGE, 0)
  if (positionals.length !== 1) throw new TaskError(`one application is expected\n${USAGE}`, 2)
  const [name] = positionals
  /** @type {RunOptions} */
  const options = {
    rate: number(values, 'rate', 0.001, 1e6),
    durationS: number(values, 'duration', 0.1, 1e5),
    warmupS: number(values, 'warmup', 0, 1e5),
    workers: number(values, 'workers', 1, 1024),
    seed: number(values, 'seed', 0, Number.MAX_SAFE_INTEGER),
    node: values.node,
    nodeArgs: values['node-arg'],
    env: environment(values.env ?? []),
    samples: values.samples,
    load: values.load,
    progress: !values.json
  }
  await interruptible(async signal => {
    if (values.calibrate) {
      await prepare(findApp(name))
      const saturation = await calibrate(name, { ...options, signal })
      console.log(values.json ? JSON.stringify({ app: name, saturation_per_s: saturation }) : `${name}: ${saturation.toFixed(1)} requests/s at saturation`)
      return
    }
    const result = await runApp(name, { ...options, signal })
    console.log(values.json ? JSON.stringify(result, null, 2) : describeRun(result))
    if (result.load.errors > 0) process.exitCode = 1
  })
}

function parse (args) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true })
  } catch (error) {
    throw new TaskError(`${error.message}\n${USAGE}`, 2)
  }
}

function number (values, name, least, most) {
  if (values[name] === undefined) return undefined
  const value = Number(values[name])
  if (values[name].trim() !== '' && value >= least && value <= most) return value
  throw new TaskError(`--${name} ${values[name]}: must be a number from ${least} to ${most}`, 2)
}

function environment (list) {
  return Object.fromEntries(list.map(entry => {
    const at = entry.indexOf('=')
    if (at < 1) throw new TaskError(`--env ${entry}: must be NAME=VALUE`, 2)
    return [entry.slice(0, at), entry.slice(at + 1)]
  }))
}

module.exports = { NAMES, WARMUP_S, runApp, calibrate, loadOn, saturation, withApp, prepare, findApp, interruptible }

if (require.main === module) main(cli)
