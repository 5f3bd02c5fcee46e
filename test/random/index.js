'use strict'

// Random programs of known truth, against what edgewise reports of them: node test/random.

const fs = require('node:fs')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { TaskError, main, say } = require('../../scripts/tasks/step')
const { BLOCK, campaign, judgePlan, standing } = require('./campaign')
const { shrink } = require('./shrink')
const { failureText, summaryText, timelineText } = require('./tell')

const USAGE = `Usage: node test/random [options]

Runs random programs in a server under the recorder, and compares its report with
what the server, the backend and the client know of each (docs/random-programs.md).
Exit code 1: the report is wrong about some, in a way that test/random/known.js does not
list, and was so again when the same programs ran again.

  --seed N           of the first ${BLOCK} programs; N + 1 of the next ones, and so on (1)
  --programs K       how many (${BLOCK})
  --node FILE        the Node that runs the server (this one)
  --causality LEVEL  events or promises (edgewise's default)
  --machine KIND     idle: a component may be off by 2 %, or 200 us; busy: or 3 ms (busy)
  --again N          how often programs run again when something unknown is wrong (2)
  --show N           failures of each kind that are shown in full (0 of those known, 3 of others)
  --shrink           make the first failure that is not known small, and print its programs
  --plan FILE        run the programs of this file, as --shrink prints them, in place of random ones
  --json             print all failures as one JSON object
  --help             this text`

const OPTIONS = /** @type {const} */ ({
  seed: { type: 'string', default: '1' },
  programs: { type: 'string', default: String(BLOCK) },
  node: { type: 'string', default: process.execPath },
  causality: { type: 'string' },
  machine: { type: 'string', default: 'busy' },
  again: { type: 'string', default: '2' },
  show: { type: 'string' },
  shrink: { type: 'boolean', default: false },
  plan: { type: 'string' },
  json: { type: 'boolean', default: false }
})

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  for (const [name, least] of [['seed', 0], ['programs', 1], ['again', 0], ['show', 0]]) {
    const value = values[name]
    if (value !== undefined && !(/^\d{1,9}$/.test(value) && Number(value) >= least)) return `--${name} ${value}: must be a whole number, at least ${least}`
  }
  if (values.causality !== undefined && !['events', 'promises'].includes(values.causality)) return `--causality ${values.causality}: must be events or promises`
  if (!['idle', 'busy'].includes(values.machine)) return `--machine ${values.machine}: must be idle or busy`
  for (const name of ['node', 'plan']) if (values[name] !== undefined && !fs.existsSync(values[name])) return `--${name} ${values[name]}: there is no such file`
}

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, OPTIONS, problem)
  const { node, causality, machine, json } = values
  const settings = { seed: Number(values.seed), programs: Number(values.programs), again: Number(values.again), node, causality, machine }
  const progress = progressOf(settings.programs)
  const result = values.plan ? await judgePlan(readPlan(values.plan), { ...settings, seed: null }, progress.told) : await campaign(settings, progress.told)
  progress.end()
  if (json) console.log(JSON.stringify({ schema: 1, settings, ...result }))
  else console.log(resultText(result, values.show))
  const wrong = standing(result.failures, settings.again)
  if (values.shrink && wrong.length > 0) await shrinkFirst(wrong[0], settings)
  if (wrong.length > 0) throw new TaskError(`${wrong.length} programs are told wrongly, in ways that are not known.`)
}

function readPlan (file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    throw new TaskError(`--plan ${file}: ${error.message}`, 2)
  }
}

function progressOf (count) {
  const { stderr } = process
  return {
    told: (done) => { if (stderr.isTTY) stderr.write(`\r${done} of ${count} programs`) },
    end: () => { if (stderr.isTTY) stderr.write('\r\x1b[K') }
  }
}

function resultText (result, show) {
  const full = (known) => Number(show ?? (known ? 0 : 3))
  const shown = new Map()
  const failures = result.failures.filter(({ label, kind, known }) => {
    if (label) return false
    shown.set(kind, (shown.get(kind) ?? 0) + 1)
    return shown.get(kind) <= full(known)
  })
  return [...failures.map((failure) => `${failureText(failure)}\n${timelineText(failure)}\n`), summaryText(result)].join('\n')
}

async function shrinkFirst (failure, settings) {
  say(`shrinking program ${failure.program} of seed ${failure.seed}: ${failure.kind}`)
  const programs = await shrink(failure, settings, (text) => say(`  ${text}`))
  console.log(programs ? JSON.stringify(programs) : 'It did not fail again.')
}

main(run)
