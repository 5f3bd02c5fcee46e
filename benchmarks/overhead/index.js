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
const { measureCell } = require('./cell')
const { installServers } = require('./install')
const { machine } = require('./machine')
const { page, table } = require('./page')
const { pageFile } = require('./page-file')
const { inOrder, loadResults, saveResults } = require('./rounds')
const { summarize, summarizeSwitching } = require('./summary')
const { measureSwitching } = require('./switching')
const { SWITCHED, VARIANTS } = require('./variants')

const LOAD_SHARE = 0.6
const PAGE = path.join(ROOT, 'docs', 'overhead.md')

/**
 * @typedef {object} Results what --json holds
 * @property {number} schema
 * @property {object} plan what --resume must find the same
 * @property {object} machine
 * @property {Record<string, number>} ratesPerS of the open loop, by server
 * @property {Record<string, string>} unavailable variant: why
 * @property {any[]} cells one a server, variant and round
 * @property {{ server: string, variant: string, round: number, blocks: import('./switching').Block[] }[]} switching one a server, variant and round
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.setup) await setup()
  const servers = await installServers()
  const { variants, unavailable } = await installVariants(options.variants)
  const settings = { ...options, servers }
  const results = load(options, unavailable)
  const began = Date.now()
  for (const server of options.servers) {
    results.ratesPerS[server] ??= await calibrate(server, settings)
  }
  for (let round = 0; round < options.runs; round++) {
    for (const server of options.servers) {
      await measureRound(results, server, inOrder(variants, round), round, settings)
      if (options.switching) await switchRound(results, server, round, settings)
    }
    saveResults(results, options.json)
    say(`round ${round + 1} of ${options.runs} done (${elapsed(began)})`)
  }
  const summary = summarize(results)
  const switching = summarizeSwitching(results)
  process.stdout.write(table(summary, switching))
  publish(results, page(results, summary, switching), options)
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
function load (options, unavailable) {
  const plan = {
    seconds: options.seconds,
    warmup: options.warmup,
    connections: options.connections,
    serverCpus: options.serverCpus,
    helperCpus: options.helperCpus,
    loadCpus: options.loadCpus
  }
  const fresh = { schema: 3, plan, machine: machine(), ratesPerS: {}, unavailable, cells: [], switching: [] }
  return { ...loadResults(fresh, options), unavailable }
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
    const known = results.cells.some((cell) => cell.server === server && cell.variant === variant.name && cell.round === round)
    if (known) continue
    const cell = await measureCell(server, variant, results.ratesPerS[server], settings)
    if (cell.said) say(`${server}, ${variant.name}: ${cell.said.trim()}`)
    results.cells.push({ server, variant: variant.name, round, ...cell })
  }
}

async function switchRound (results, server, round, settings) {
  for (const variant of Object.keys(SWITCHED)) {
    if (results.switching.some((known) => known.server === server && known.variant === variant && known.round === round)) continue
    results.switching.push({ server, variant, round, ...await measureSwitching(server, variant, settings) })
  }
}

function publish (results, text, options) {
  saveResults(results, options.json)
  const file = pageFile(options, PAGE)
  if (!file) return
  fs.writeFileSync(file, text)
  say(`written: ${file}`)
}

main(run)
