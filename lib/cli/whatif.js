'use strict'

const fs = require('node:fs')
const { InvalidArgumentError, Option } = require('commander')
const edgewise = require('../index')
const { ChangeList, curve, duration, relative, share } = require('../whatif/changes')
const { EXIT, Failure } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { count, name, names, percentile, warmUp } = require('./arguments')
const { analyse, sayProgress } = require('./report')
const { colorOf } = require('./terminal')

const PERCENTILES = [50, 90, 99, 99.9]
/** As src/whatif/whatif.h has it. */
const SKIP_S = 2

/** @param {import('commander').Command} program */
function add (program) {
  const list = new ChangeList()
  const command = program.command('whatif')
    .summary('predict what a change would bring, before anyone makes it')
    .description('Runs the recorded requests again on a virtual clock, as they were and with a\nchange, and tells what becomes of the latency and of the capacity. Without a\nchange it ranks what is worth changing.')
    .argument('<DIR...>', 'a directory with a trace; after it those of the services that it asks, recorded at the same time')
  changes(command, list)
    .option('--scenarios <FILE>', 'scenarios of a JSON file (docs/whatif.md)', name)
    .option('--slo <GOAL>', 'find the largest load that keeps it, such as p99=50ms', goal)
    .option('--curve', 'a tenth, a half and all of the change')
    .option('--check <DIR>', 'a trace recorded after the change: what really came, beside the prediction', name)
    .option('--processors <N>', 'of several services: the processors that all of them share (default: each loop has its own)', (text) => above(count(text)))
    .option('--exclude-route <ROUTE>', 'leave out the requests of this route; may be given several times', names)
    .option('--skip <S>', 'leave out what came in the first S seconds, the warm-up (default: 2)', warmUp)
    .option('--replications <N>', 'how often a run is repeated with other arrivals (default: 20)', count)
    .option('--seed <N>', 'of what is drawn (default: 1)', count)
    .addOption(new Option('--json', 'print it as JSON'))
    .addHelpText('after', `
--route, --dependency and --function say where the changes after them are made. All changes
are made together.

Examples:
  edgewise whatif edgewise-4711
  edgewise whatif edgewise-4711 --route 'GET /c' --cpu -50%
  edgewise whatif edgewise-4711 --dependency redis --add 2ms --load 1.3
  edgewise whatif edgewise-4711 --route 'GET /d' --parallel 1,2
  edgewise whatif edgewise-4711 --slo p99=50ms
  edgewise whatif edgewise-4711 --route 'GET /c' --cpu -50% --check edgewise-4712
  edgewise whatif front users orders --route 'GET /order/:id' --cpu -50% --processors 4`)
    .action(async (directories, options) => {
      process.exitCode = await predict(directories, options, list)
    })
}

/** @param {import('commander').Command} command @param {ChangeList} list @returns {import('commander').Command} with an option for each kind of change */
function changes (command, list) {
  const each = (/** @type {string} */ flag, /** @type {string} */ help, /** @type {(text: string) => void} */ take) => command.option(flag, help, take)
  each('--route <ROUTE>', 'what follows is changed for its requests only', (text) => { list.route = name(text) })
  each('--dependency <NAME>', 'what follows is changed for the waits for it: a part of its name', (text) => { list.dependency = name(text) })
  each('--function <NAME>', 'what follows is changed in this function, or the one at this place, such as server.js:44 (EDGEWISE_STACKS)', (text) => { list.function = name(text) })
  each('--cpu <C>', '-50%: its execution; 0.7: the share of a processor that the loop is given', (text) => takeCpu(list, text))
  each('--add <TIME>', 'each wait takes so much longer, such as 2ms', (text) => {
    list.add(list.placed(`waits +${text}`), { kind: 'wait', ...list.place(), addNs: valid(duration(text), 'Allowed is a time such as 2ms or 500us.') })
  })
  each('--scale <X>', 'each wait takes X times as long, such as 0.5', (text) => {
    list.add(list.placed(`waits x ${text}`), { kind: 'wait', ...list.place(), scale: valid(share(text), 'Allowed is a number such as 0.5.') })
  })
  each('--tier <FILE>', 'each wait is as long as on another machine: latencies in ms, one a line', (text) => {
    list.add(list.placed(`waits as in ${text}`), { kind: 'wait', ...list.place(), tierNs: fromFile(text) })
  })
  each('--load <X>', 'X times as many requests', (text) => list.add(`load x ${text}`, { kind: 'load', scale: above(share(text)) }))
  each('--neighbour <SHARE>', 'another program wants this share of the processor, such as 50%', (text) => {
    list.add(`a neighbour of ${text}`, { kind: 'neighbour', scale: within(share(text)) })
  })
  each('--lose-replica <N>', 'one of N servers is lost', (text) => list.add(`one of ${text} servers lost`, { kind: 'replica-lost', count: count(text), addNs: 0 }))
  each('--retry <TIME>', 'after --lose-replica: its requests are sent again after this time', (text) => {
    const last = list.changes.at(-1)
    if (last?.kind !== 'replica-lost') throw new InvalidArgumentError('It belongs after --lose-replica N.')
    last.addNs = valid(duration(text), 'Allowed is a time such as 200ms.')
  })
  each('--parallel <I,J>', 'waits I and J of the route, counted from 1, begin together', (text) => {
    const [, first, second] = /^(\d+),(\d+)$/.exec(text) ?? []
    if (!(Number(first) >= 1 && Number(second) > Number(first))) throw new InvalidArgumentError('Allowed are two numbers of waits, such as 1,2.')
    list.add(list.placed(`waits ${text} together`), { kind: 'parallel', ...list.place(), first: Number(first), second: Number(second) })
  })
  command.option('--batch', 'equal calls in a row become one').on('option:batch', () => list.add(list.placed('equal calls in one'), { kind: 'batch', ...list.place() }))
  each('--offload <THREADS>', 'the longest execution of the route runs on so many other threads', (text) => {
    list.add(list.placed(`offloaded to ${text} threads`), { kind: 'offload', ...list.place(), count: above(count(text)) })
  })
  each('--gc <C>', '-50%: the time of garbage collections; semi-space=64: so many MB for young objects', (text) => takeCollections(list, text))
  each('--input <X>', 'requests of the route are X times as large', (text) => {
    list.add(list.placed(`requests x ${text} as large`), { kind: 'input', ...list.place(), scale: above(share(text)) })
  })
  each('--workers <N>', 'N processes share the requests', (text) => list.add(`${text} processes`, { kind: 'workers', count: above(count(text)) }))
  return command
}

/** @param {ChangeList} list @param {string} text */
function takeCpu (list, text) {
  if (/^[-+]/.test(text)) {
    list.add(list.placed(`execution ${text}`), { kind: 'cpu', ...list.place(), scale: valid(relative(text), 'Allowed is a change such as -50%, or a share such as 0.7.') })
  } else {
    list.add(`${text} of a processor`, { kind: 'processor', scale: within(share(text)) })
  }
}

/** @param {ChangeList} list @param {string} text */
function takeCollections (list, text) {
  const [, space] = /^semi-space=(.+)$/.exec(text) ?? []
  if (space === undefined) {
    list.add(`garbage collections ${text}`, { kind: 'collections', scale: valid(relative(text), 'Allowed is a change such as -50%, or semi-space=64.') })
  } else {
    list.add(`semi-space of ${space} MB`, { kind: 'semi-space', bytes: 2 ** 20 * valid(Number(space) >= 1 && Number(space) <= 512 ? Number(space) : NaN, 'Allowed are 1 to 512 MB, such as semi-space=64.') })
  }
}

/** @param {number} value @param {string} allowed */
function valid (value, allowed) {
  if (Number.isNaN(value)) throw new InvalidArgumentError(allowed)
  return value
}

/** @param {number} value */
const above = (value) => valid(value > 0 ? value : NaN, 'Allowed is a number above 0.')

/** @param {number} value */
const within = (value) => valid(value > 0 && value <= 1 ? value : NaN, 'Allowed is a share above 0 and at most 100%, such as 50% or 0.5.')

/** @param {string} text @returns {{ goalPercentile: number, goalNs: number }} */
function goal (text) {
  const [, of, limit] = /^p([\d.]+)=(.+)$/.exec(text) ?? []
  const goalPercentile = of === undefined ? NaN : percentile(of)
  if (!PERCENTILES.includes(goalPercentile)) throw new InvalidArgumentError(`Allowed is a goal such as p99=50ms, of ${PERCENTILES.map((p) => `p${p}`).join(', ')}.`)
  return { goalPercentile, goalNs: valid(duration(limit), 'Allowed is a goal such as p99=50ms.') }
}

/** @param {string} file */
function fromFile (file) {
  return read(() => require('../whatif/scenario-file').readTier(file))
}

/** @template T @param {() => T} reading @returns {T} */
function read (reading) {
  try {
    return reading()
  } catch (error) {
    throw new InvalidArgumentError(`${/** @type {Error} */ (error).message}.`)
  }
}

/**
 * @param {string[]} directories
 * @param {any} options
 * @param {ChangeList} list
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function predict ([directory, ...behind], { scenarios: file, slo, curve: wantsCurve, check, json, processors, ...options }, list) {
  const scenarios = [...list.scenarios(), ...file ? fromScenarios(file) : []].flatMap((scenario) => wantsCurve ? curve(scenario) : [scenario])
  if (processors && behind.length === 0) throw new Failure('--processors: give the directories of several services', EXIT.usage)
  if (check && scenarios.length !== 1) throw new Failure('--check: give the one change that was made', EXIT.usage)
  const interrupt = interruption()
  const { skip, replications, seed, excludeRoute } = options
  const rank = scenarios.length === 0 && !slo
  const told = await withFunctions(directory, { scenarios, rank, skip, excludeRoute }, interrupt.signal)
  const asked = { skip, replications, seed, excludeRoute, ...told, ...slo, rank }
  const found = told && (behind.length > 0 ? await runTogether([directory, ...behind], { asked, processors }, interrupt.signal) : await run(directory, asked, interrupt.signal))
  if (found && rank) rankTogether(found)
  const after = found && check && await run(check, { skip, replications: 2, excludeRoute }, interrupt.signal)
  interrupt.release()
  if (!found || (check && !after)) return exitCodeAfter(interrupt.signal)
  if (after) found.check = require('../whatif/check').compare(found.scenarios[0], after.fit)
  if (json) process.stdout.write(`${JSON.stringify(found)}\n`)
  else process.stdout.write(require('../whatif/render').render(found, { color: colorOf(process.stdout), width: process.stdout.columns }))
  return EXIT.ok
}

/**
 * What is said of functions, by the routes that run them.
 * @returns {Promise<{ scenarios: import('../whatif/changes').Scenario[] } | null>} null: it was interrupted
 */
async function withFunctions (directory, { scenarios, rank, skip = SKIP_S, excludeRoute }, signal) {
  const named = scenarios.some(({ changes }) => changes.some((change) => change.function))
  if (!named && !rank) return { scenarios }
  const { functionCandidates, resolveFunctions } = require('../whatif/functions')
  const report = await analyse(directory, { ...skip > 0 && { skip }, excludeRoute, stacks: true, slowest: 0 }, signal, sayProgress())
  if (!report) return null
  if (rank) return { scenarios: report.stacks ? functionCandidates(report) : [] }
  try {
    return { scenarios: await Promise.all(scenarios.map(async ({ name, changes }) => ({ name, changes: await resolveFunctions(changes, async () => report) }))) }
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message)
  }
}

/** Functions, which are predicted as scenarios, among all that is ranked. @param {Record<string, any>} found */
function rankTogether (found) {
  const gain = (/** @type {any} */ { routes: [{ percentiles }] }) => percentiles.p99?.gain?.[0] ?? 0
  found.ranking = [...found.ranking, ...found.scenarios].sort((one, other) => gain(one) - gain(other))
  found.scenarios = []
}

/** @param {string} file */
function fromScenarios (file) {
  try {
    return require('../whatif/scenario-file').readScenarios(file)
  } catch (error) {
    throw new Failure(`--scenarios ${/** @type {Error} */ (error).message}`, EXIT.usage)
  }
}

/**
 * A change is made in each service that has what it changes.
 * @returns {Promise<Record<string, any> | null>} of the first service, with what all do together; null: it was interrupted
 */
async function runTogether (directories, { asked, processors }, signal) {
  const all = []
  let missing
  for (const directory of directories) {
    const one = await run(directory, { ...asked, rank: asked.rank && all.length === 0 }, signal).catch((error) => {
      if (!(error instanceof Failure) || !/^no(thing)? /.test(error.message)) throw error
      missing = error
      return run(directory, { ...asked, scenarios: [], rank: false }, signal)
    })
    if (!one) return null
    const refused = one.scenarios.find(({ capacity }) => !capacity)
    if (refused) throw new Failure(`${directory}: ${refused.name}: ${refused.refused[0]}`)
    all.push({ directory, found: one })
  }
  if (missing && asked.scenarios.length > 0 && all.every(({ found }) => found.scenarios.length === 0)) throw missing
  return { ...all[0].found, together: require('../whatif/services').together(all, { processors }) }
}

/** @returns {Promise<Record<string, any> | null>} null: it was interrupted */
async function run (directory, options, signal) {
  if (!fs.existsSync(directory)) throw new Failure(`${directory} does not exist: give the directory that the recording has named`)
  try {
    return await edgewise.whatif(directory, { ...options, signal, onProgress: sayProgress('predicting') })
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'CANCELLED') return null
    throw new Failure(message, code === 'INVALID_ARGUMENT' ? EXIT.usage : EXIT.failure)
  }
}

module.exports = { add }
