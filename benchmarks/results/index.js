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
const { machine } = require('../overhead/machine')
const { pageFile } = require('../overhead/page-file')
const { readArguments } = require('./arguments')
const { VARIANTS, measure } = require('./cell')
const { draw } = require('./figures')
const { page } = require('./page')

const LOAD_SHARE = 0.6
const FIGURES = path.join(ROOT, 'docs', 'results')
const PAGE = path.join(ROOT, 'docs', 'results.md')

/**
 * @typedef {object} Results what --json holds
 * @property {number} schema
 * @property {object} plan
 * @property {object} machine
 * @property {Record<string, { saturationPerS: number | null, ratePerS: number }>} rates by application
 * @property {any[]} cells one an application, variant and round; see cell.js
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
    for (const app of options.apps) results.rates[app] = await rateOf(app, settings)
    const began = Date.now()
    for (let round = 0; round < options.runs; round++) {
      for (const app of options.apps) await measureRound(results, app, round, settings)
      save(results, options.json)
      say(`round ${round + 1} of ${options.runs} done (${elapsed(began)})`)
    }
    await publish(results, options)
  })
}

/** @returns {Results} */
function begin ({ seconds, warmup, runs, percentile, workers }) {
  const { packages, ...place } = machine()
  return { schema: 1, plan: { seconds, warmup, runs, percentile, workers }, machine: place, rates: {}, cells: [], clusters: [] }
}

async function rateOf (app, settings) {
  if (settings.rate !== undefined) return { saturationPerS: null, ratePerS: settings.rate }
  const saturationPerS = await calibrate(app, { signal: settings.signal })
  const ratePerS = Math.max(1, Math.round(LOAD_SHARE * saturationPerS))
  say(`${app}: ${saturationPerS.toFixed(0)} requests/s at saturation, ${ratePerS}/s at ${100 * LOAD_SHARE} %`)
  return { saturationPerS, ratePerS }
}

// Every second round runs backwards: what drifts slowly hits all alike. The
// variants of a round meet the same arrivals.
async function measureRound (results, app, round, settings) {
  const { ratePerS } = results.rates[app]
  const order = round % 2 === 0 ? VARIANTS : [...VARIANTS].reverse()
  for (const variant of order) {
    results.cells.push({ app, variant, round, ...await measure(app, variant, { ...settings, ratePerS, seed: round + 1, workers: 1 }) })
  }
  if (findApp(app).workers.at(-1) === 1) return
  results.clusters.push({ app, round, ...await measure(app, 'recorded', { ...settings, ratePerS, seed: round + 1, workers: settings.workers }) })
}

function save (results, file) {
  if (file) fs.writeFileSync(file, JSON.stringify(results) + '\n')
}

async function publish (results, options) {
  save(results, options.json)
  const file = pageFile({ page: options.page, whole: options.whole || options.fromJson !== undefined }, PAGE)
  if (!file) return
  const figures = options.page ? `${options.page}.figures` : FIGURES
  fs.mkdirSync(figures, { recursive: true })
  const drawn = await draw(results, figures)
  fs.writeFileSync(file, page(results, drawn.map((name) => path.relative(path.dirname(file), path.join(figures, name)))))
  say(`written: ${path.relative('', file)}`)
}

main(run)
