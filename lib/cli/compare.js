'use strict'

const fs = require('node:fs')
const { setTimeout: delay } = require('node:timers/promises')
const { InvalidArgumentError, Option } = require('commander')
const edgewise = require('../index')
const { budgetOf, judge, sentence, spokenOf } = require('../compare/verdict')
const { duration } = require('../whatif/changes')
const { EXIT, Failure, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { count, name, names, seconds, warmUp } = require('./arguments')
const { traceSize } = require('./recording')
const { sayProgress } = require('./report')
const { colorOf } = require('./terminal')

/** As lib/index.d.ts and src/reporting/comparing.cc have them. */
const SPLITS = ['process', 'worker', 'minute', 'node']
const PERCENTILES = ['p50', 'p90', 'p99', 'p99.9']
const LOOK_S = 10
/** Of traces that do not grow: their recorders have ended. */
const LOOKS_WITHOUT_NEWS = 3
/** With --budget, beside ok and failure: nothing can be said, or not yet. */
const UNDECIDED = 3
/** @type {Record<string, any>} */
const NOTHING_YET = {}

/**
 * @typedef {object} Asked what edgewise.compare is asked
 * @property {string[]} a
 * @property {string[]} b
 * @property {string[]} [same]
 */

/** @param {import('commander').Command} program */
function add (program) {
  program.command('compare')
    .summary('whether B is slower than A, and why')
    .description('Compares recordings of one program before and after a change: how much slower or faster\nit is, how sure that is, and why; or says why the recordings cannot tell.')
    .argument('<DIR...>', 'two directories with traces, A and B; or those of A, before --with')
    .option('--with <DIR...>', 'the directories of B, if there are several')
    .option('--same <DIR...>', 'once more recorded as A was: how far that is from A is noise (default: halves of A)')
    .option('--by <WHAT>', `split the recordings by ${SPLITS.join(', ')}: each against all others`, among(SPLITS))
    .option('--percentile <P>', `what the sentence is about: ${PERCENTILES.join(', ')} (default: p99)`, among(PERCENTILES))
    .option('--route <ROUTE>', 'only requests of this route, as the report names it', name)
    .option('--exclude-route <ROUTE>', 'leave out the requests of this route; may be given several times', names)
    .option('--skip <S>', 'leave out what came in the first S seconds, the warm-up (default: 2)', warmUp)
    .option('--budget <B>', "how much slower B may be, such as '+5 % p99': the exit code says whether it is kept", budget)
    .option('--watch', 'look again and again while both are recorded, until there is a verdict')
    .option('--for <S>', 'with --watch: at most so many seconds', seconds)
    .option('--block <TIME>', 'how long a block is, such as 2s (default: ten times as long as the latency remembers)', block)
    .option('--resamples <N>', 'how often blocks are drawn (default: 10000)', count)
    .option('--seed <N>', 'of what is drawn (default: 1)', count)
    .addOption(new Option('--json', 'print it as JSON'))
    .addHelpText('after', `
Record A and B at the same time behind one balancer, or by turns. Exit codes with --budget: 0 it
is kept, 1 it is exceeded, 3 the recordings cannot tell.

Examples:
  edgewise compare before after
  edgewise compare before-1 before-2 --with after-1 after-2
  edgewise compare before after --budget '+5 % p99'
  edgewise compare before after --watch --budget '+5 % p99' --for 600
  edgewise compare edgewise-4711 --by process`)
    .action(async (directories, options) => {
      process.exitCode = await compare(directories, options)
    })
}

/** @param {string[]} allowed */
function among (allowed) {
  return (/** @type {string} */ text) => {
    if (!allowed.includes(text)) throw new InvalidArgumentError(`Allowed are ${allowed.join(', ')}.`)
    return text
  }
}

/** @param {string} text */
function budget (text) {
  const found = budgetOf(text)
  if (!found) throw new InvalidArgumentError(`Allowed is a share and a percentile, such as '+5 % p99'; of ${PERCENTILES.join(', ')}.`)
  return found
}

/** @param {string} text @returns {number} ns */
function block (text) {
  const ns = duration(text)
  if (!(ns > 0)) throw new InvalidArgumentError('Allowed is a time above 0, such as 2s.')
  return ns
}

/** @param {string[]} directories @param {any} options @returns {Promise<number>} the exit code */
async function compare (directories, { with: behind, watch, for: most, budget, percentile, json, block, ...options }) {
  const { by, same } = options
  if (by && (behind || same || budget || watch)) throw new Failure('--by splits what is given: it goes with none of --with, --same, --budget and --watch', EXIT.usage)
  if (!by && !behind && directories.length !== 2) throw new Failure(`give two directories, A and B; or those of B after --with (given: ${directories.join(' ')})`, EXIT.usage)
  if (most && !watch) throw new Failure('--for goes with --watch', EXIT.usage)
  const sides = by ? { a: directories, b: [] } : { a: behind ? directories : [directories[0]], b: behind ?? [directories[1]] }
  const asked = { ...options, ...sides, blockNs: block }
  for (const directory of [...sides.a, ...sides.b, ...same ?? []]) {
    if (!fs.existsSync(directory)) throw new Failure(`${directory} does not exist: give the directory that the recording has named`)
  }
  const interrupt = interruption()
  const found = watch ? await watched(asked, { budget, percentile, most, signal: interrupt.signal }) : await run(asked, interrupt.signal, sayProgress('comparing'))
  interrupt.release()
  if (!found) return exitCodeAfter(interrupt.signal)
  const judged = budget && judge(found, budget)
  if (json) process.stdout.write(`${JSON.stringify({ ...found, ...judged && { budget: judged } })}\n`)
  else {
    process.stdout.write(require('../compare/render').render(found, {
      color: colorOf(process.stdout), width: process.stdout.columns, percentile: percentile ?? budget?.percentile, verdict: judged?.why
    }))
  }
  return judged ? { kept: EXIT.ok, exceeded: EXIT.failure, undecided: UNDECIDED, refused: UNDECIDED }[judged.outcome] : EXIT.ok
}

/**
 * Looks until there is a verdict; its intervals hold however often one looks.
 *
 * @param {Asked & { blockNs?: number }} asked
 * @param {{ budget?: import('../compare/verdict').Budget, percentile?: string, most?: number, signal: AbortSignal }} until
 * @returns {Promise<Record<string, any> | null>} the last that was found; null: it was interrupted before anything was
 */
async function watched (asked, { budget, percentile, most = Infinity, signal }) {
  const ends = performance.now() + 1000 * most
  let { blockNs } = asked
  let found = null
  let bytes = 0
  let without = 0
  while (!signal.aborted) {
    const size = bytesOf(asked)
    without = size === bytes ? without + 1 : 0
    bytes = size
    const now = await run({ ...asked, blockNs, always: true }, signal).catch(nothingYet)
    if (!now) break
    if (now !== NOTHING_YET) {
      found = now
      if (now.refused.length === 0) blockNs ??= now.block_ns // The looks are of one plan from here on.
      if (saidOf(now, { budget, percentile })) break
    }
    if (performance.now() + 1000 * LOOK_S > ends) break
    if (without >= LOOKS_WITHOUT_NEWS) {
      note('the traces do not grow any more')
      break
    }
    await delay(1000 * LOOK_S, undefined, { signal }).catch(() => {})
  }
  if (!found && !signal.aborted) throw new Failure('there is nothing to compare yet: both must have answered requests')
  return found
}

/**
 * Says what a look has found.
 * @param {Record<string, any>} found
 * @param {{ budget?: import('../compare/verdict').Budget, percentile?: string }} asked
 * @returns {boolean} it is a verdict
 */
function saidOf (found, { budget, percentile }) {
  const judged = budget && judge(found, budget)
  note(`${judged ? judged.why : sentence(found, percentile)} (${found.a.requests} and ${found.b.requests} requests)`)
  return judged ? judged.outcome === 'kept' || judged.outcome === 'exceeded' : isSure(found, percentile)
}

/** @param {any} error of a look at traces that have no request yet */
function nothingYet (error) {
  if (error.code !== 'NOT_FOUND') throw error
  note(error.message)
  return NOTHING_YET
}

/** @param {Record<string, any>} found @param {string} [percentile] */
function isSure (found, percentile) {
  const spoken = spokenOf(found, percentile)
  if (found.refused.length > 0 || !spoken) return false
  const { change } = found.percentiles[spoken]
  return change.low > 0 || change.high < 0
}

/** @param {Asked} asked @returns {number} of all traces */
function bytesOf ({ a, b }) {
  return [...a, ...b].reduce((sum, directory) => sum + traceSize(directory).bytes, 0)
}

/** @returns {Promise<Record<string, any> | null>} null: it was interrupted */
async function run (asked, signal, onProgress) {
  try {
    return await edgewise.compare({ ...asked, signal, onProgress })
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'CANCELLED') return null
    throw Object.assign(new Failure(message, code === 'INVALID_ARGUMENT' ? EXIT.usage : EXIT.failure), { code })
  }
}

module.exports = { add }
