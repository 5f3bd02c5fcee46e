'use strict'

// The tables and figures of the paper's evaluation (VEE'19 sections 2 and 5),
// measured here on five real applications: npm run bench:apps.

const fs = require('node:fs')
const path = require('node:path')
const { main, say, elapsed } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { setup } = require('../../scripts/tasks/setup')
const { findApp, prepare } = require('../apps/app')
const { calibrate, interruptible } = require('../apps/run')
const { machine } = require('../shared/machine')
const { pageFile } = require('../shared/page-file')
const { inOrder, loadResults, saveResults } = require('../shared/rounds')
const { readArguments } = require('./arguments')
const { LIGHT_VARIANTS, VARIANTS, measure } = require('./cell')
const { draw } = require('./figures')
const { page } = require('./page')

const LOAD_SHARE = 0.6
// Near saturation, latency multiplies whatever costs the processor.
const LIGHT_SHARE = 0.3
const LIGHT_OF_SECONDS = 0.5
const FIGURES = path.join(ROOT, 'docs', 'results')
const PAGE = path.join(ROOT, 'docs', 'results.md')

/**
 * @typedef {object} Results what --json holds
 * @property {number} schema
 * @property {object} plan
 * @property {object} machine
 * @property {Record<string, { saturationPerS: number | null, ratePerS: number, lightPerS: number }>} rates by application
 * @property {any[]} cells one an application, variant and round; see cell.js
 * @property {any[]} light the same at the light load
 * @property {any[]} clusters one a clustered application and round, recorded
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.fromJson) return publish(JSON.parse(fs.readFileSync(options.fromJson, 'utf8')), options)
  if (options.setup) await setup()
  await interruptible(async (signal) => {
    const settings = { ...options, signal }
    const results = begin(options)
    for (const app of options.apps) await prepare(findApp(app))
    for (const app of options.apps) results.rates[app] ??= await rateOf(app, settings)
    const began = Date.now()
    for (let round = 0; round < options.runs; round++) {
      for (const app of options.apps) await measureRound(results, app, round, settings)
      say(`round ${round + 1} of ${options.runs} done (${elapsed(began)})`)
    }
    await publish(results, options)
  })
}

/** @returns {Results} */
function begin ({ seconds, warmup, runs, percentile, workers, json, resume }) {
  const { packages, ...place } = machine()
  const plan = { seconds, warmup, runs, percentile, workers }
  return loadResults({ schema: 3, plan, machine: place, rates: {}, cells: [], light: [], clusters: [] }, { json, resume })
}

async function rateOf (app, settings) {
  const at = (saturationPerS, ratePerS) => ({ saturationPerS, ratePerS, lightPerS: Math.max(1, Math.round(ratePerS * LIGHT_SHARE / LOAD_SHARE)) })
  if (settings.rate !== undefined) return at(null, settings.rate)
  const saturationPerS = await calibrate(app, { signal: settings.signal })
  const ratePerS = Math.max(1, Math.round(LOAD_SHARE * saturationPerS))
  say(`${app}: ${saturationPerS.toFixed(0)} requests/s at saturation, ${ratePerS}/s at ${100 * LOAD_SHARE} %`)
  return at(saturationPerS, ratePerS)
}

// The variants of a round meet the same arrivals.
async function measureRound (results, app, round, settings) {
  const { ratePerS, lightPerS } = results.rates[app]
  const one = async (list, variant, how) => {
    const known = list.some((cell) => cell.app === app && cell.variant === variant && cell.round === round)
    if (known) return
    list.push({ app, variant, round, ...await measure(app, variant, { ...settings, seed: round + 1, ratePerS, workers: 1, ...how }) })
    saveResults(results, settings.json)
  }
  for (const variant of inOrder(VARIANTS, round)) await one(results.cells, variant, {})
  for (const variant of inOrder(LIGHT_VARIANTS, round)) await one(results.light, variant, { ratePerS: lightPerS, seconds: settings.seconds * LIGHT_OF_SECONDS })
  if (findApp(app).workers.at(-1) !== 1) await one(results.clusters, 'recorded', { workers: settings.workers })
}

async function publish (results, options) {
  saveResults(results, options.json)
  const file = pageFile({ page: options.page, whole: options.whole || options.fromJson !== undefined }, PAGE)
  if (!file) return
  const figures = options.page ? `${options.page}.figures` : FIGURES
  fs.mkdirSync(figures, { recursive: true })
  const drawn = await draw(results, figures)
  fs.writeFileSync(file, page(results, drawn.map((name) => path.relative(path.dirname(file), path.join(figures, name)))))
  say(`written: ${path.relative('', file)}`)
}

main(run)
