'use strict'

// Whether `edgewise compare` is right about changes of real applications:
// npm run bench:compare-apps.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const edgewise = require('../../lib/index')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { elapsed, main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { findApp, prepare } = require('../apps/app')
const { calibrate, interruptible } = require('../apps/run')
const { FINDINGS } = require('../findings/findings')
const { measure } = require('../results/cell')
const { appOptions, appSettings, appsAndRanges } = require('../shared/arguments')
const { machine } = require('../shared/machine')
const { publish } = require('../shared/page-file')
const { inOrder, saveResults } = require('../shared/rounds')
const { appsPage } = require('./apps-page')

const NAMES = FINDINGS.map(({ app }) => app)
const PAGE = path.join(ROOT, 'docs', 'compare-apps.md')
const DEFAULTS = { runs: 5, seconds: 20, warmup: 4, load: 0.5 }
const RANGES = { runs: [1, 1000], seconds: [1, 1e5], warmup: [0, 1e5], load: [0.01, 2] }
const VARIANTS = ['as it is', 'as it is, again', 'changed']
const USAGE = `Usage: npm run bench:compare-apps -- [options]

Records each application as it is, the same again and with the change that its
findings suggest, in turn, and compares the recordings; beside it what the
clients saw. Writes docs/compare-apps.md.

  --apps LIST   of ${NAMES.join(',')} (all)
  --runs N      rounds (${DEFAULTS.runs})
  --seconds S   of load measured in each run (${DEFAULTS.seconds})
  --warmup S    of load before that, left out (${DEFAULTS.warmup})
  --load SHARE  of each application's saturation throughput (${DEFAULTS.load})
  --json FILE   the numbers
  --page FILE   write the page here; by default docs/compare-apps.md, when all was measured
  --no-setup    do not look whether everything is built`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, appOptions(NAMES, DEFAULTS), appsAndRanges(NAMES, RANGES))
  const options = appSettings(values, DEFAULTS)
  if (options.setup) await setup()
  const { runs, seconds, warmup, load } = options
  const results = { schema: 1, plan: { runs, seconds, warmup, load }, machine: machine(), apps: /** @type {any[]} */ ([]) }
  await interruptible(async (signal) => {
    for (const finding of FINDINGS.filter(({ app }) => options.apps.includes(app))) {
      const began = Date.now()
      results.apps.push(await compared(finding, { ...options, signal }))
      saveResults(results, options.json)
      say(`${finding.app}: done (${elapsed(began)})`)
    }
  })
  publish(appsPage(results), { page: options.page, whole: results.apps.length === NAMES.length && runs >= DEFAULTS.runs }, PAGE)
}

/**
 * @param {import('../findings/findings').Finding} finding
 * @returns {Promise<object>} what compare says, and what the clients saw
 */
async function compared (finding, { runs, seconds, warmup, load, signal }) {
  const { app } = finding
  await prepare(findApp(app))
  const ratePerS = Math.max(1, Math.round(load * await calibrate(app, { signal })))
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-compare-'))
  try {
    const cells = []
    for (let round = 0; round < runs; round++) {
      for (const variant of inOrder(VARIANTS, round)) {
        const trace = path.join(scratch, `${variant}-${round}`)
        const { client, requests, errors } = await measure(app, 'recorded', { seconds, warmup, signal, ratePerS, percentile: 99, seed: round + 1, workers: 1 },
          { ...variant === 'changed' ? finding : {}, keep: trace })
        cells.push({ variant, round, trace, client, requests, errors })
      }
    }
    const of = (/** @type {string} */ variant) => cells.filter((cell) => cell.variant === variant).map(({ trace }) => trace)
    const found = await edgewise.compare({ a: of('as it is'), b: of('changed'), same: of('as it is, again'), skip: warmup, signal })
    return { app, ratePerS, found, cells: cells.map(({ trace, ...cell }) => cell) }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

main(run)
