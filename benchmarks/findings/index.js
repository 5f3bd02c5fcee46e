'use strict'

// Acts on what edgewise blames: npm run bench:findings.

const path = require('node:path')
const { main, say, elapsed } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { setup } = require('../../scripts/tasks/setup')
const { findApp, prepare } = require('../apps/app')
const { calibrate, interruptible } = require('../apps/run')
const { machine } = require('../shared/machine')
const { publish } = require('../shared/page-file')
const { inOrder, loadResults, saveResults } = require('../shared/rounds')
const { measure } = require('../results/cell')
const { readArguments } = require('./arguments')
const { FINDINGS } = require('./findings')
const { VARIANTS, page } = require('./page')

const PAGE = path.join(ROOT, 'docs', 'findings.md')
const PERCENTILE = 99

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.setup) await setup()
  const findings = FINDINGS.filter(({ app }) => options.apps.includes(app))
  await interruptible(async (signal) => {
    const { seconds, warmup, load, runs } = options
    const fresh = { schema: 1, plan: { seconds, warmup, load }, machine: machine(), rates: {}, cells: /** @type {any[]} */ ([]) }
    const results = loadResults(fresh, options)
    for (const { app } of findings) {
      await prepare(findApp(app))
      results.rates[app] ??= Math.max(1, Math.round(load * await calibrate(app, { signal })))
      say(`${app}: ${results.rates[app]} requests/s`)
    }
    const began = Date.now()
    for (let round = 0; round < runs; round++) {
      for (const finding of findings) await measureRound(results, finding, round, { ...options, signal })
      say(`round ${round + 1} of ${runs} done (${elapsed(began)})`)
    }
    publish(page(results), options, PAGE)
  })
}

// The variants of a round meet the same arrivals.
async function measureRound (results, finding, round, { seconds, warmup, signal, json }) {
  const { app } = finding
  for (const variant of inOrder(VARIANTS, round)) {
    if (results.cells.some((cell) => cell.app === app && cell.variant === variant && cell.round === round)) continue
    const change = variant === 'changed' ? finding : {}
    const cell = await measure(app, 'recorded',
      { seconds, warmup, signal, ratePerS: results.rates[app], percentile: PERCENTILE, seed: round + 1, workers: 1 }, change)
    results.cells.push({ app, variant, round, blamedNs: finding.blamedNs(cell.recorded?.report), ...cell })
    saveResults(results, json)
  }
}

main(run)
