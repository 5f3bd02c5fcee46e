'use strict'

const { delimiter, dirname } = require('node:path')
const { Option } = require('commander')
const { findPatchedNode } = require('../native/patched-node')
const { quoted } = require('../shell')
const { name, paths, percentile, port, rate, seconds } = require('./arguments')
const { describe, start } = require('./child')
const { EXIT, Failure, PROGRESS_MS, note } = require('./failure')
const { aborted, exitCodeAfter, interruption } = require('./interruption')
const { RATE, SECONDS, askForPaths, ownLoad, wantsLoad } = require('./own-load')
const { megabytes, noTrace, prepareOut, recordedEnvironment, recordingBegun, traceSize } = require('./recording')
const report = require('./report')
const { CHILD_STDIO, never, pause, refuseTaken, stop, underLoad } = require('./server')

/** @typedef {import('./child').Child} Child */

/**
 * @typedef {object} ProfileOptions
 * @property {string} [load]
 * @property {string[]} [url] paths that the load of our own requests
 * @property {string} [mix] a file of what it requests
 * @property {number} [rate]
 * @property {number} [for]
 * @property {string} [out]
 * @property {number} [port]
 * @property {number} wait
 * @property {number} [percentile]
 * @property {boolean} [json]
 * @property {boolean} [sourceMaps]
 * @property {boolean} [page]
 * @property {'stock' | 'patched'} node
 */

/** @param {import('commander').Command} program */
function add (program) {
  program.command('profile')
    .summary('start a server, load it, explain its slow requests')
    .description('Starts a server with recording on, waits until it listens, runs the load, stops both and prints the report. ' +
      'The load is a command of yours (--load), or requests that edgewise sends at a steady rate (--url, --mix). ' +
      'Without any it records until --for seconds are over, the command ends or Ctrl-C is pressed.')
    .argument('<command...>', 'the server to run, after --')
    .option('--load <CMD>', 'shell command that sends the requests; it finds the server in $PORT and $URL', name)
    .addOption(new Option('--url <PATH>', 'send GET requests for PATH; may be given several times').argParser(paths).conflicts(['load', 'mix']))
    .addOption(new Option('--mix <FILE>', 'send the requests that FILE describes (docs/load.md)').argParser(name).conflicts('load'))
    .addOption(new Option('--rate <N>', `requests a second that --url or --mix sends (${RATE})`).argParser(rate).conflicts('load'))
    .option('--for <S>', `seconds to record: from the begin of the load, or of the command without one (${SECONDS} with --url or --mix)`, seconds)
    .option('--out <DIR>', 'where the trace goes (default: EDGEWISE_OUT, else ./edgewise-<pid>)', name)
    .option('--port <P>', 'the port to wait for (default: the first that the command listens on)', port)
    .option('--wait <S>', 'seconds the server may take until it listens', seconds, 60)
    .option('--percentile <P>', 'the tail are the requests at or above it, of 100 (default: 99)', percentile)
    .option('--no-source-maps', 'tell functions by the files that ran')
    .option('--json', 'print the report as JSON')
    .option('--no-page', 'do not write the page to look at (report.html in the trace\'s directory)')
    .addOption(new Option('--node <BUILD>', 'the Node.js to run').choices(['stock', 'patched']).default('stock'))
    .passThroughOptions()
    .addHelpText('after', `
Examples:
  edgewise profile --url / -- node app.js
  edgewise profile --load 'npx autocannon -d 20 $URL' -- node app.js
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
  const url = nothingSaid(options) ? await askForPaths() : options.url
  if (!wantsLoad({ ...options, url })) return profiled(command, options)
  const { command: load, remove } = ownLoad({ ...options, url })
  try {
    return await profiled(command, { ...options, for: undefined, load })
  } finally {
    remove()
  }
}

const nothingSaid = (/** @type {ProfileOptions} */ options) => !options.load && !options.for && !wantsLoad(options)

/**
 * @param {string[]} command
 * @param {ProfileOptions} options
 * @returns {Promise<number>} the exit code
 */
async function profiled (command, options) {
  await refuseTaken(options.port)
  const path = options.node === 'patched' ? patchedPath(process.env.PATH) : process.env.PATH
  const out = prepareOut(options.out)
  const interrupt = interruption()
  if (process.env.EDGEWISE_ENABLED === '0') note('EDGEWISE_ENABLED=0: nothing is recorded before `edgewise on PID`')
  note(`starting ${command.join(' ')}`)
  const app = await start(command, { env: recordedEnvironment({ ...process.env, PATH: path }, out), stdio: CHILD_STDIO })
  let problem
  try {
    problem = options.load
      ? await loaded(app, { ...options, load: options.load }, out, interrupt.signal)
      : await unloaded(app, options, out, interrupt.signal)
  } finally {
    if (!app.end) note('stopping the server')
    await stop(app)
  }
  const { files, bytes } = traceSize(out)
  if (interrupt.signal.aborted && (options.load || interrupt.signal.reason !== 'SIGINT')) {
    if (files > 0) note(`interrupted; what was recorded is in ${quoted(out)}`)
    return exitCodeAfter(interrupt.signal)
  }
  interrupt.release()
  if (files === 0) throw new Failure(problem ? `${problem}; ${noTrace(out)}` : noTrace(out))
  note(`recorded ${megabytes(bytes)} in ${files} ${files === 1 ? 'file' : 'files'} in ${quoted(out)}; analysing`)
  const code = await report.print(out, { percentile: options.percentile, json: options.json, sourceMaps: options.sourceMaps }, options.page)
  if (problem) note(problem)
  return problem ? EXIT.failure : code
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
 * @param {ProfileOptions & { load: string }} options
 * @param {string} out
 * @param {AbortSignal} interrupted
 * @returns {Promise<string | undefined>} what went wrong although there is something to report
 */
async function loaded (app, options, out, interrupted) {
  /** @type {NodeJS.Timeout | undefined} */
  let progress
  try {
    const { problem } = await underLoad(app, options, interrupted, async (url) => {
      await recordingBegun(out)
      note(`the server listens on ${url}; load: ${options.load}`)
      progress = reporting(out)
    })
    return problem
  } finally {
    clearInterval(progress)
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
  const timeout = options.for ? pause(options.for) : never()
  await Promise.race([app.done, timeout, aborted(interrupted)])
  clearInterval(progress)
  if (app.end && !interrupted.aborted && app.end.code !== 0) return `the command ${describe(app.end)}`
}

/** @param {string} out */
function reporting (out) {
  const begin = performance.now()
  return setInterval(() => {
    note(`recording: ${Math.round((performance.now() - begin) / 1000)} s, ${megabytes(traceSize(out).bytes)}`)
  }, PROGRESS_MS)
}

module.exports = { add }
