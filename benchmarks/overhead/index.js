'use strict'

// What recording costs: a server without edgewise, with it, and with the tools
// that people use instead, in interleaved rounds.

const fs = require('node:fs')
const path = require('node:path')
const { median } = require('../../lib/statistics')
const { main, say, elapsed } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { setup } = require('../../scripts/tasks/setup')
const { readArguments } = require('./arguments')
const { measureCell, LOAD_SHARE } = require('./cell')
const { installServers } = require('./install')
const { machine } = require('../shared/machine')
const { page, table } = require('./page')
const { pageFile } = require('../shared/page-file')
const { measurePairs, WINDOWS } = require('./pairs')
const { mayRunInRealTime } = require('../shared/real-time')
const { inOrder, loadResults, saveResults } = require('../shared/rounds')
const { summarize, summarizePairs } = require('./summary')
const { VARIANTS } = require('./variants')

const PAGE = path.join(ROOT, 'docs', 'overhead.md')

/**
 * @typedef {object} Results what --json holds
 * @property {number} schema
 * @property {object} plan what --resume must find the same
 * @property {object} machine
 * @property {Record<string, number>} ratesPerS of the open loop, by server
 * @property {Record<string, string>} unavailable variant: why
 * @property {any[]} cells one a server, variant and round
 * @property {(import('./pairs').Pair & { server: string, variant: string, round: number })[]} pairs
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.setup) await setup()
  const servers = await installServers()
  const { variants, unavailable } = await installVariants(options.variants)
  const settings = { ...options, servers, realTime: mayRunInRealTime() }
  const results = load(settings, unavailable)
  const began = Date.now()
  for (const server of options.servers) {
    results.ratesPerS[server] ??= await calibrate(server, settings)
  }
  for (let round = 0; round < options.runs; round++) {
    for (const server of options.servers) {
      const ordered = inOrder(variants, round)
      await measureRound(results, server, ordered, round, settings)
      if (options.pairs) await pairRound(results, server, ordered.filter(({ paired }) => paired), round, settings)
    }
    saveResults(results, options.json)
    say(`round ${round + 1} of ${options.runs} done (${elapsed(began)})`)
  }
  const summary = summarize(results)
  const pairs = summarizePairs(results)
  process.stdout.write(table(summary, pairs))
  publish(results, page(results, summary, pairs), options)
}

async function installVariants (wanted) {
  /** @type {Record<string, string>} */
  const unavailable = {}
  for (const variant of wanted) {
    if (variant.needs === undefined) continue
    try {
      await installServers(variant.needs)
    } catch (error) {
      unavailable[variant.name] = error.message.trim().split('\n').slice(-2).join(' ')
      say(`${variant.name} is left out: it cannot be installed here`)
    }
  }
  return { variants: wanted.filter(({ name }) => !(name in unavailable)), unavailable }
}

/** @returns {Results} */
function load (settings, unavailable) {
  const { seconds, warmup, connections, serverCpus, helperCpus, loadCpus, realTime } = settings
  const plan = { seconds, warmup, connections, serverCpus, helperCpus, loadCpus, realTime, pairWindows: WINDOWS }
  const fresh = { schema: 9, plan, machine: machine(), ratesPerS: {}, unavailable, cells: [], pairs: [] }
  return { ...loadResults(fresh, settings), unavailable }
}

// The rate is a share of what the bare server can do: the median of three.
async function calibrate (server, settings) {
  const rates = []
  for (let i = 0; i < 3; i++) {
    const { saturated } = await measureCell(server, VARIANTS[0], 0, settings)
    rates.push(saturated.ratePerS)
  }
  const rate = LOAD_SHARE * median(rates)
  say(`${server}: ${Math.round(median(rates))} requests/s at saturation, ${Math.round(rate)}/s at ${100 * LOAD_SHARE} %`)
  return rate
}

async function measureRound (results, server, variants, round, settings) {
  for (const variant of variants) {
    if (isKnown(results.cells, server, variant, round)) continue
    const cell = await measureCell(server, variant, results.ratesPerS[server], settings)
    if (cell.said) say(`${server}, ${variant.name}: ${cell.said.trim()}`)
    results.cells.push({ server, variant: variant.name, round, ...cell })
  }
}

async function pairRound (results, server, variants, round, settings) {
  for (const variant of variants) {
    if (isKnown(results.pairs, server, variant, round)) continue
    const pairs = await measurePairs(server, variant, settings)
    results.pairs.push(...pairs.map((pair) => ({ server, variant: variant.name, round, ...pair })))
  }
}

function isKnown (measured, server, variant, round) {
  return measured.some((one) => one.server === server && one.variant === variant.name && one.round === round)
}

function publish (results, text, options) {
  saveResults(results, options.json)
  const file = pageFile(options, PAGE)
  if (!file) return
  fs.writeFileSync(file, text)
  say(`written: ${file}`)
}

main(run)
