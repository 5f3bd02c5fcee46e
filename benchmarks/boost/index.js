'use strict'

// What boosting buys and costs (VEE'19 sections 6 and 7): npm run bench:boost.

const fs = require('node:fs')
const path = require('node:path')
const { main, say, elapsed } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { setup } = require('../../scripts/tasks/setup')
const { NAMES, findApp, prepare } = require('../apps/app')
const { interruptible } = require('../apps/run')
const { machine } = require('../shared/machine')
const { pageFile } = require('../shared/page-file')
const { loadResults, saveResults } = require('../shared/rounds')
const { DEFAULTS, readArguments } = require('./arguments')
const { measureRun, saturationAtLow } = require('./cell')
const { measureCosts } = require('./cost')
const { draw } = require('./figures')
const { isSlow, machineSpeed, unslowed } = require('./machine-speed')
const { WHOLE, page } = require('./page')
const { tailRoutes, targetMs } = require('./pilots')
const { leaveAppProcessor } = require('./place')
const { IN_TURNS, PAGES, isWhole, missing, processes, rateKeyOf, rounds } = require('./plan')
const { BASE, EMULATED, findPolicy } = require('./policies')
const { measureFidelity, measureReactions } = require('./programs')
const { simulate } = require('./simulate')
const { drawFrontiers, simulatedPage } = require('./simulated-page')
const tuning = require('./tuning.json')
const { measureTurns, secondsOf, turnsOf } = require('./turns')

const DOCS = path.join(ROOT, 'docs')
const FIGURES = path.join(DOCS, 'boost-results')
const LEAST_SIMULATED = 3 // applications on the published page of simulated policies
const PILOT_ROUND = -1 // arrivals that no measured round has

/**
 * @typedef {object} Results what --json holds
 * @property {number} schema
 * @property {{ seconds: number, turn: number, warmup: number, load: number, delaysUs: number[], workers: number }} plan what --resume must find the same
 * @property {object} machine
 * @property {string[]} apps of which something was measured
 * @property {Record<string, { saturationPerS: number, ratePerS: number, speed: number }>} rates by application, 'APP xN' with N workers
 * @property {Record<string, import('./policies').Known>} pilots by application
 * @property {any} [fidelity]
 * @property {any} [reaction]
 * @property {import('./cost').Cost[]} costs
 * @property {any[]} cells a Run of plan.js, and what measureRun() returned with the machine's speed around it, or measureTurns()
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.simulate) return runSimulated(options)
  if (options.fromJson) return publish(JSON.parse(fs.readFileSync(options.json, 'utf8')), { ...options, json: undefined })
  if (options.setup) await setup()
  await interruptible(async (signal) => {
    leaveAppProcessor()
    const results = load(options)
    const settings = { ...options, signal }
    const due = rounds(options, tuning).map((runs) => missing(runs, results.cells))
    announce(due.flat(), options)
    for (const app of options.apps) await prepare(findApp(app))
    results.fidelity ??= await measureFidelity(settings)
    if (options.sections.includes('reaction')) results.reaction ??= await measureReactions(settings)
    if (options.sections.includes('cost')) {
      await measureCosts(results, settings, (one) => {
        saveResults(results, options.json)
        say(`cost, ${one}`)
      })
    }
    const began = Date.now()
    for (const [round, runs] of due.entries()) {
      for (const together of processes(runs)) await measureProcess(results, together, settings)
      if (runs.length > 0) say(`round ${round + 1} of ${options.runs} done (${elapsed(began)})`)
    }
    await publish(results, options)
  })
}

async function runSimulated (options) {
  if (options.setup && !options.fromJson) await setup()
  await interruptible(async (signal) => {
    const results = options.fromJson ? JSON.parse(fs.readFileSync(options.json, 'utf8')) : await simulated({ ...options, signal })
    await publishSimulated(results, options)
  })
}

async function simulated (options) {
  const { packages, ...place } = machine()
  const results = { schema: 1, machine: place, load: options.load, replications: options.replications, apps: await simulate(options) }
  saveResults(results, options.json)
  return results
}

async function publishSimulated (results, options) {
  const published = path.join(DOCS, 'boost-simulation.md')
  const file = pageFile({ page: options.page, whole: results.replications >= DEFAULTS.replications && results.apps.length >= LEAST_SIMULATED }, published)
  if (!file) {
    process.stdout.write(simulatedPage(results))
    return
  }
  const figure = path.join(file === published ? FIGURES : `${file}.figures`, 'simulated.svg')
  fs.mkdirSync(path.dirname(figure), { recursive: true })
  fs.writeFileSync(figure, await drawFrontiers(results.apps))
  fs.writeFileSync(file, simulatedPage(results, [path.relative(path.dirname(file), figure)]))
  say(`written: ${path.relative('', file)}`)
}

/** @returns {Results} */
function load ({ seconds, turn, warmup, load, delaysUs, workers, json, resume, apps }) {
  const { packages, ...place } = machine()
  const fresh = { schema: 6, plan: { seconds, turn, warmup, load, delaysUs, workers }, machine: place, apps, rates: {}, pilots: {}, costs: [], cells: [] }
  const found = loadResults(fresh, { json, resume })
  return { ...found, apps: NAMES.filter((name) => found.apps.includes(name) || apps.includes(name)) }
}

function announce (runs, { seconds, turn, warmup }) {
  const { settleS, turnS } = secondsOf({ ratePerS: Infinity, turn })
  const loadS = (/** @type {import('./plan').Run[]} */ together) =>
    IN_TURNS.includes(together[0].section) ? turnsOf(together.length - 1).length * (settleS + turnS) : seconds + warmup
  const minutes = processes(runs).reduce((sum, together) => sum + loadS(together), 0) / 60
  say(`${runs.length} runs, ${minutes.toFixed(0)} minutes of load at least, and what starting the applications takes`)
}

// Whatever a run needs to be known is found before it, once, and kept.
async function measureProcess (results, runs, settings) {
  const [first] = runs
  const { ratePerS } = await rateOf(results, first, settings)
  const known = []
  for (const one of runs) known.push(await knownFor(results, one, { ...settings, ratePerS }))
  const began = Date.now()
  const cells = IN_TURNS.includes(first.section)
    ? await measureTurns(runs, known, { ...settings, ratePerS })
    : [await measureOne(results, first, known[0], { ...settings, ratePerS })]
  results.cells.push(...cells)
  saveResults(results, settings.json)
  for (const cell of cells) tell(cell, began)
}

async function measureOne (results, one, known, settings) {
  const { result, speed } = await measureUnslowed(results, `${one.section}, ${one.app}, ${one.policy}`, () => measureRun(one, known, settings))
  return { ...one, ...result, speed }
}

function tell ({ section, app, policy, delayUs, client, boost, bases }, began) {
  const delay = delayUs > 0 ? ` with transitions of ${delayUs} µs` : ''
  const ms = (one) => (one.client.p999 / 1e6).toFixed(1)
  say(`${section}, ${app}, ${policy}${delay}: p99.9 ${ms({ client })} ms${bases ? `, at low ${bases.map(ms).join(', ')}` : ''}, ` +
    `energy ${boost.energy === null ? 'unavailable' : boost.energy.toFixed(3)} (${elapsed(began)})`)
}

// Again, when the machine was slow before or after.
async function measureUnslowed ({ cells, rates }, what, measure) {
  const speeds = [...cells, ...Object.values(rates)].map(({ speed }) => speed)
  const timed = async () => {
    const before = machineSpeed()
    const result = await measure()
    return { result, before, speed: Math.min(before, machineSpeed()) }
  }
  const { result: { result, speed } } = await unslowed(what, timed, ({ before, speed }) => isSlow(speed, [before, ...speeds]))
  return { result, speed }
}

async function rateOf (results, { app, workers }, { load, signal, json }) {
  const key = rateKeyOf({ app, workers })
  if (results.rates[key]) return results.rates[key]
  const { result: saturationPerS, speed } = await measureUnslowed(results, `${key} at saturation`, () => saturationAtLow(app, { workers, signal }))
  const ratePerS = Math.max(1, Math.round(load * saturationPerS))
  say(`${key}: ${saturationPerS.toFixed(0)} requests/s at saturation at the low frequency, ${ratePerS}/s at ${Math.round(100 * load)} %`)
  results.rates[key] = { saturationPerS, ratePerS, speed }
  saveResults(results, json)
  return results.rates[key]
}

/** @returns {Promise<import('./policies').Known>} */
async function knownFor (results, { app, policy }, settings) {
  const { routes, target } = findPolicy(policy)
  const pilot = results.pilots[app] ??= {}
  const pilotRun = async (of) => {
    const run = { section: 'pilot', app, actuator: EMULATED, delayUs: 0, workers: 1, recorded: false, round: PILOT_ROUND, ...of }
    return (await measureUnslowed(results, `pilot, ${app}, ${run.policy}`, () => measureRun(run, {}, settings))).result
  }
  if (routes && pilot.routes === undefined) {
    const { recorded } = await pilotRun({ policy: BASE, recorded: true })
    pilot.routes = tailRoutes(recorded.shares)
    say(`${app}: likely to be tail: ${pilot.routes.join(', ') || 'no route'}`)
  }
  const targetsMs = pilot.targetsMs ??= {}
  if (target && targetsMs[target] === undefined) {
    targetsMs[target] = targetMs(await pilotRun({ policy: target }))
    say(`${app}: p99.9 with ${target}: ${targetsMs[target].toFixed(1)} ms`)
  }
  saveResults(results, settings.json)
  return { ...pilot, flags: tuning[app] }
}

async function publish (results, options) {
  process.stdout.write(page(results))
  if (options.page) return write(results, { file: options.page, figures: `${options.page}.figures`, of: WHOLE })
  for (const one of PAGES) {
    const file = pageFile({ whole: isWhole(results, tuning, one.sections) }, path.join(DOCS, one.file))
    if (file) await write(results, { file, figures: FIGURES, of: one })
  }
}

/** @param {Results} results @param {{ file: string, figures: string, of: typeof WHOLE }} where */
async function write (results, { file, figures, of }) {
  const main = results.cells.filter(({ section }) => section === 'main')
  const drawn = of.sections.includes('main') ? await draw(main, results.apps, figures) : []
  fs.writeFileSync(file, page(results, drawn.map((name) => path.relative(path.dirname(file), path.join(figures, name))), of))
  say(`written: ${path.relative('', file)}`)
}

main(run)
