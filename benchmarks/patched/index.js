'use strict'

// What the patches cost: the patched Node, tracking off and on, against the
// unpatched one of the same tree and compiler.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { main, say, elapsed } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { setup } = require('../../scripts/tasks/setup')
const { installServers } = require('../overhead/install')
const { machine } = require('../shared/machine')
const { pageFile } = require('../shared/page-file')
const { inOrder, loadResults, saveResults } = require('../shared/rounds')
const { readArguments } = require('./arguments')
const { findBuilds } = require('./builds')
const { VARIANTS, findLinks, layOut } = require('./layouts')
const { measureMicro } = require('./micro')
const { page, tables } = require('./page')
const { PAIRS, measurePair } = require('./servers')

const PAGE = path.join(ROOT, 'docs', 'patched-cost.md')

/**
 * @typedef {object} Results what --json holds
 * @property {number} schema
 * @property {object} plan what --resume must find the same
 * @property {object} machine
 * @property {import('./summary').Cell[]} micro one a workload, variant and round
 * @property {import('./summary').PairCell[]} servers one a server, pair and round
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.setup) await setup()
  const builds = await findBuilds()
  const settings = { ...options, servers: options.measuredServers.length ? await installServers() : '' }
  const results = load(options, builds)
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-layouts-'))
  try {
    await measure(results, builds, settings, directory)
  } finally {
    fs.rmSync(directory, { recursive: true })
  }
  process.stdout.write(tables(results))
  const file = pageFile(options, PAGE)
  if (!file) return
  fs.writeFileSync(file, page(results))
  say(`written: ${file}`)
}

async function measure (results, builds, settings, directory) {
  const { workloads, measuredServers, runs, json, asBuilt } = settings
  const links = asBuilt ? undefined : await findLinks(builds)
  const began = Date.now()
  for (let round = 0; round < runs; round++) {
    const laidOut = links ? await layOut(links, round, directory) : { ...builds, aa: builds.unpatched }
    const programs = { ...laidOut, addon: builds.addon }
    for (const name of workloads) {
      await measureRound(results.micro, name, VARIANTS, round, (variant) => measureMicro(name, variant, programs, settings))
    }
    for (const name of measuredServers) {
      await measureRound(results.servers, name, Object.keys(PAIRS), round, (pair) => measurePair(name, pair, round, programs, settings))
    }
    saveResults(results, json)
    say(`round ${round + 1} of ${runs} done (${elapsed(began)})`)
  }
}

/** @returns {Results} */
function load (options, builds) {
  const { asBuilt, blockMs, seconds, warmup, windows, connections, serverCpus, helperCpus, loadCpus } = options
  // The build's directory is named after what it was built from.
  const built = path.basename(path.dirname(path.dirname(builds.patched)))
  const plan = { built, asBuilt, blockMs, seconds, warmup, windows, connections, serverCpus, helperCpus, loadCpus }
  return loadResults({ schema: 3, plan, machine: machine(), micro: [], servers: [] }, options)
}

async function measureRound (cells, name, variants, round, measure) {
  for (const variant of inOrder(variants, round)) {
    const known = cells.some((cell) => cell.name === name && cell.variant === variant && cell.round === round)
    if (!known) cells.push({ name, variant, round, ...await measure(variant) })
  }
}

main(run)
