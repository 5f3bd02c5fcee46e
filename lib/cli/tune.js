'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Option } = require('commander')
const { YOUNG, flagsOf, labelOf, usualOld } = require('../tune/candidates')
const { OBJECTIVES } = require('../tune/choose')
const { resultOf } = require('../tune/result')
const { Sweep } = require('../tune/sweep')
const { renderTune, sentence } = require('../report/tune')
const { count: counted, time, withheldShare } = require('../report/units')
const { count, name, oldSizes, percentile, port, seconds, youngSizes } = require('./arguments')
const { start } = require('./child')
const { EXIT, Failure, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { peakMemoryOf } = require('./process-tree')
const { noTrace, recordedEnvironment, traceSize } = require('./recording')
const { analyse } = require('./report')
const { refuseTaken, stop, underLoad } = require('./server')
const { colorOf } = require('./terminal')

const MAX_RUNS = 80
const PERCENTILE = { 'p99.9': 99.9, p99: 99, throughput: 99 }
// The warm-up that is left out unless --skip says otherwise: of the first run's load.
const WARMUP = { share: 0.2, mostS: 5 }
const SETS_YOUNG = /--(max|min)[-_]semi[-_]space[-_]size/
const SETS_OLD = /--max[-_]old[-_]space[-_]size/
/** Eighty times what a load prints is read by nobody; what goes wrong is. @type {import('node:child_process').StdioOptions} */
const STDIO = ['ignore', 'ignore', 'inherit']

/** @typedef {import('../tune/candidates').Sizes} Sizes */
/** @typedef {import('../tune/choose').Run} Run */

/**
 * @typedef {object} TuneOptions
 * @property {string} load
 * @property {number} [for]
 * @property {number} [port]
 * @property {number} wait
 * @property {number} [skip]
 * @property {'p99.9' | 'p99' | 'throughput'} objective
 * @property {number[]} young
 * @property {number[]} [old]
 * @property {number} maxRuns
 * @property {number} [percentile]
 * @property {boolean} [json]
 */

/** @param {import('commander').Command} program */
function add (program) {
  program.command('tune')
    .summary('find the heap sizes that suit a server under a load')
    .description('Runs a server under a load again and again with other sizes of V8\'s young and old generation, and recommends flags. ' +
      'Candidates are measured in turn with the defaults, until their difference is decided.')
    .argument('<command...>', 'the server to run, after --')
    .requiredOption('--load <CMD>', 'shell command that sends the requests; it finds the server in $PORT and $URL', name)
    .option('--for <S>', 'seconds after which the load of a run is ended', seconds)
    .option('--port <P>', 'the port to wait for (default: the first that the command listens on)', port)
    .option('--wait <S>', 'seconds the server may take until it listens', seconds, 60)
    .option('--skip <S>', 'leave out the requests of the first S seconds of each run (default: a fifth of the load, at most 5 s)', seconds)
    .addOption(new Option('--objective <WHAT>', 'what is to be better').choices(Object.keys(OBJECTIVES)).default('p99.9'))
    .option('--young <LIST>', 'sizes of a semi-space to begin with, MiB', youngSizes, YOUNG)
    .option('--old <LIST>', 'sizes of the old generation, MiB, or none (default: half and twice V8\'s own)', oldSizes)
    .option('--max-runs <N>', 'no more runs than this', count, MAX_RUNS)
    .option('--percentile <P>', 'whose GC time is told: requests at or above it (default: the objective\'s)', percentile)
    .option('--json', 'print the result as JSON')
    .passThroughOptions()
    .addHelpText('after', `
Examples:
  edgewise tune --load 'npx autocannon -d 20 $URL' -- node app.js
  edgewise tune --load './replay.sh' --for 30 --objective p99 --young 8,16,32 --old none -- npm start`)
    .action(async (command, options) => {
      process.exitCode = await tune(command, options)
    })
}

/**
 * @param {string[]} command
 * @param {TuneOptions} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function tune (command, options) {
  const inserts = /^node(js)?$/.test(path.basename(command[0]))
  const grid = gridOf(command, inserts, options)
  const sweep = new Sweep(grid, OBJECTIVES[options.objective], options.maxRuns)
  if (options.maxRuns < sweep.leastRuns) {
    throw new Failure(`--max-runs ${options.maxRuns}: a single round takes ${sweep.leastRuns} runs; allow more, or shorten --young and --old`, EXIT.usage)
  }
  await refuseTaken(options.port)
  const interrupt = interruption()
  const measured = { command, inserts, options, skipS: options.skip ?? null, scratch: scratchDirectory(), interrupted: interrupt.signal }
  const problem = await runAll(sweep, measured)
  if (sweep.candidates[0].runs.length === 0 && !interrupt.signal.aborted) throw new Failure(problem ?? 'nothing was measured')
  const ended = interrupt.signal.aborted ? 'interrupted' : problem ? 'failed' : sweep.over === 'runs' ? 'max-runs' : 'decided'
  print(sweep, measured, ended)
  if (problem) note(problem)
  return interrupt.signal.aborted ? exitCodeAfter(interrupt.signal) : problem ? EXIT.failure : EXIT.ok
}

/**
 * @param {Sweep} sweep
 * @param {Measured} measured
 * @param {string} ended
 */
function print (sweep, { command, inserts, options, skipS }, ended) {
  if (sweep.runs === 0) {
    note('interrupted before the first run was over')
    return
  }
  const { objective, percentile: wanted } = options
  const result = resultOf(sweep, { command, inserts, objective, percentile: wanted ?? PERCENTILE[objective], skipS, ended })
  result.recommendation.text = sentence(result)
  process.stdout.write(options.json
    ? JSON.stringify(result) + '\n'
    : renderTune(result, { color: colorOf(process.stdout), width: process.stdout.columns }))
}

/**
 * @typedef {object} Measured
 * @property {string[]} command
 * @property {boolean} inserts
 * @property {TuneOptions} options
 * @property {number | null} skipS null: the first run will tell
 * @property {string} scratch
 * @property {AbortSignal} interrupted
 */

/**
 * @param {Sweep} sweep
 * @param {Measured} measured
 * @returns {Promise<string | undefined>} why it ended early
 */
async function runAll (sweep, measured) {
  for (let order = sweep.next(); order.length > 0; order = sweep.next()) {
    for (const one of order) {
      const result = await measure(one.sizes, measured)
      if (measured.interrupted.aborted) return
      const failed = 'failed' in result ? result.failed : null
      if (failed && one.role !== 'tried') return `with V8's own sizes: ${failed}`
      sweep.add(one, result)
      const said = 'failed' in result
        ? `${result.failed}; it is left out`
        : `p99 ${time(result.latencyNs.p99)}, p99.9 ${time(result.latencyNs['p99.9'])}, ${counted(result.requestsPerS)} requests/s`
      note(`run ${sweep.runs} of at most ${sweep.maxRuns}, round ${sweep.round + 1}: ${labelOf(one.sizes)}: ${said}`)
    }
    sweep.endRound()
  }
}

/**
 * One run and what its trace says.
 *
 * @param {Sizes} sizes
 * @param {Measured} measured
 * @returns {Promise<Omit<Run, 'round'> | { failed: string }>}
 */
async function measure (sizes, measured) {
  const out = fs.mkdtempSync(path.join(measured.scratch, 'run-'))
  try {
    const served = await serve(sizes, measured, out)
    if ('failed' in served || measured.interrupted.aborted) return { failed: 'interrupted', ...served }
    measured.skipS ??= Math.min(WARMUP.share * served.loadS, WARMUP.mostS)
    return { ...await explain(out, measured, served.loadS), memoryBytes: served.memoryBytes }
  } catch (error) {
    if (error instanceof Failure) return { failed: error.message } // What other runs have shown is kept.
    throw error
  } finally {
    fs.rmSync(out, { recursive: true, force: true })
  }
}

/**
 * @param {Sizes} sizes
 * @param {Measured} measured
 * @param {string} out
 * @returns {Promise<{ loadS: number, memoryBytes: number } | { failed: string }>}
 * @throws {Failure} there is no such program, or it does not listen: perhaps these sizes are too small for it
 */
async function serve (sizes, { command, inserts, options, interrupted }, out) {
  const line = inserts ? [command[0], ...flagsOf(sizes), ...command.slice(1)] : command
  const nodeOptions = [process.env.NODE_OPTIONS, ...inserts ? [] : flagsOf(sizes)].filter(Boolean).join(' ')
  const env = { ...process.env, NODE_OPTIONS: nodeOptions, EDGEWISE_ENABLED: '1', EDGEWISE_MODE: 'stream' }
  const app = await start(line, { env: recordedEnvironment(env, out), stdio: STDIO })
  try {
    const { problem, seconds: loadS } = await underLoad(app, { ...options, stdio: STDIO }, interrupted)
    return problem ? { failed: problem } : { loadS, memoryBytes: peakMemoryOf(app.tree()) }
  } finally {
    await stop(app)
  }
}

/**
 * @param {string} out
 * @param {Measured} measured
 * @param {number} loadS
 * @returns {Promise<Omit<Run, 'round' | 'memoryBytes'>>}
 * @throws {Failure} there is nothing to compare
 */
async function explain (out, { options, skipS, interrupted }, loadS) {
  if (traceSize(out).files === 0) throw new Failure(noTrace(out))
  const asked = { percentile: options.percentile ?? PERCENTILE[options.objective], skip: skipS ?? undefined, slowest: 0 }
  const report = await analyse(out, asked, interrupted)
  if (!report) throw new Failure('interrupted')
  const { requests, events, gc, tail, duration_ns: durationNs, latency_ns: latencyNs } = report
  const sent = requests.count + requests.skipped
  if (sent === 0) throw new Failure('no request was recorded while the load ran')
  if (requests.count === 0) throw new Failure(`all ${sent} requests are of the first ${time(1e9 * Number(skipS))} of a run, the warm-up: let the load run longer, or --skip less`)
  return {
    latencyNs: { p50: latencyNs.p50, p99: latencyNs.p99, 'p99.9': latencyNs['p99.9'] },
    requests: requests.count,
    requestsPerS: sent / loadS,
    gcMsPerS: durationNs > 0 ? 1000 * (gc.total_ns - (gc.not_running_ns ?? 0)) / durationNs : null,
    tailGcNs: tail.count > 0 ? tail.exec.gc_ns + tail.queue.gc_ns : null,
    tailOffShare: withheldShare(tail),
    lossy: events.dropped > 0 || events.lost_bytes > 0
  }
}

/**
 * @param {string[]} command
 * @param {boolean} inserts
 * @param {TuneOptions} options
 * @returns {import('../tune/candidates').Grid}
 * @throws {Failure} the command sets what would be tried
 */
function gridOf (command, inserts, options) {
  const given = [...command, process.env.NODE_OPTIONS ?? '']
  const sets = (/** @type {RegExp} */ pattern) => given.map((text) => pattern.exec(text)?.[0]).find(Boolean)
  const young = sets(SETS_YOUNG)
  const old = sets(SETS_OLD)
  if (young) throw new Failure(`the command or NODE_OPTIONS sets ${young}, which is tried here: leave it out`, EXIT.usage)
  if (old && options.old?.length) throw new Failure(`the command or NODE_OPTIONS sets ${old}, and --old tries others: leave one of them out`, EXIT.usage)
  const node = askNode(inserts ? command[0] : 'node')
  const fixable = inserts || node.environment
  if (!fixable) note(`${command[0]} is not node, and NODE_OPTIONS takes no --min-semi-space-size: only --max-semi-space-size is tried`)
  return { young: options.young, old: options.old ?? (old ? [] : usualOld(node.limitMb, node.memoryMb)), fixable }
}

/**
 * @param {string} program
 * @returns {{ limitMb: number, memoryMb: number, environment: boolean }} V8's limit of the heap, what memory
 *   there is, whether NODE_OPTIONS takes --min-semi-space-size
 * @throws {Failure}
 */
function askNode (program) {
  const script = `JSON.stringify({
    limitMb: v8.getHeapStatistics().heap_size_limit / 2 ** 20,
    memoryMb: Math.min(os.totalmem(), process.constrainedMemory?.() || Infinity) / 2 ** 20,
    environment: process.allowedNodeEnvironmentFlags.has('--min-semi-space-size')
  })`
  const { status, stdout, error } = spawnSync(program, ['-p', script], { encoding: 'utf8', env: { ...process.env, EDGEWISE_ENABLED: '0' } })
  if (status !== 0) throw new Failure(`cannot run ${program}${error ? `: ${error.message}` : ''}, whose heap is to be tuned`)
  // What NODE_OPTIONS preloads may print lines of its own before.
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}

/** @returns {string} a directory for traces; it goes when we do */
function scratchDirectory () {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-tune-'))
  process.once('exit', () => fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

module.exports = { add }
