'use strict'

// Whose code runs? AsyncLocalStorage, async_hooks and edgewise asked on the
// programs of test/truth, which know.

const fs = require('node:fs')
const path = require('node:path')
const { findPatchedNode } = require('../../lib/native/patched-node')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { main, say, TaskError } = require('../../scripts/tasks/step')
const { setup } = require('../../scripts/tasks/setup')
const { ROOT } = require('../../scripts/tasks/tree')
const { countObserved, countReported, sum } = require('../../test/truth/attribution')
const { PROGRAMS } = require('../../test/truth/programs')
const { observeProgram, runProgram } = require('../../test/truth/run-program')
const { pageFile } = require('../shared/page-file')
const { page, table } = require('./page')

const PAGE = path.join(ROOT, 'docs', 'attribution.md')
const DEFAULT_RUNS = 3

const USAGE = `Usage: npm run bench:attribution -- [options]

Asks AsyncLocalStorage, async_hooks and edgewise (stock Node at both levels of
causality, and the patched Node) at every step of the programs of test/truth
whose request it is, and compares with what the program knows.

  --programs LIST  of their file names in test/truth/programs, without .js (all)
  --runs N         of each program and tool (${DEFAULT_RUNS})
  --json FILE      all counts
  --page FILE      write the page here; by default docs/attribution.md, when all was measured
  --no-setup       do not look whether everything is built`

/** @type {Record<string, (program: any) => Promise<import('../../test/truth/attribution').Counts>>} by column */
const TOOLS = {
  AsyncLocalStorage: async (program) => countObserved(await observeProgram(program, 'AsyncLocalStorage')),
  async_hooks: async (program) => countObserved(await observeProgram(program, 'async_hooks')),
  'edgewise, events': async (program) => countReported(await runProgram(program, 'events')),
  'edgewise, promises': async (program) => countReported(await runProgram(program, 'promises')),
  'edgewise, patched Node': async (program) => countReported(await runProgram(program, 'patched'))
}

/** @typedef {{ program: string, tools: Record<string, import('../../test/truth/attribution').Counts> }} Row */

const nameOf = (program) => path.basename(program.file, '.js')

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    programs: { type: 'string', default: PROGRAMS.map(nameOf).join(',') },
    runs: { type: 'string', default: String(DEFAULT_RUNS) },
    json: { type: 'string' },
    page: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  if (!values['no-setup']) await setup()
  const patched = findPatchedNode()
  if (!patched.built) throw new TaskError(`The patched Node is not built. Next step: ${patched.howToBuild}.`)
  const wanted = values.programs.split(',')
  const runs = Number(values.runs)
  const { rows, missing } = await measure(PROGRAMS.filter((program) => wanted.includes(nameOf(program))), runs)
  if (values.json) fs.writeFileSync(values.json, JSON.stringify({ node: process.version, runs, rows, missing }, null, 1) + '\n')
  process.stdout.write(table(rows))
  const whole = wanted.length === PROGRAMS.length && runs >= DEFAULT_RUNS && missing.length === 0
  const file = pageFile({ page: values.page, whole }, PAGE)
  if (!file) return
  fs.writeFileSync(file, page(rows, { runs, node: process.version, missing }))
  say(`written: ${file}`)
}

// Programs that have one step only are no question.
async function measure (programs, runs) {
  /** @type {Row[]} */
  const rows = []
  const missing = []
  for (const program of programs) {
    const why = program.missing?.()
    if (why) {
      missing.push(`${program.name}: ${why}`)
      continue
    }
    /** @type {Row['tools']} */
    const tools = {}
    for (const [tool, ask] of Object.entries(TOOLS)) {
      const all = []
      for (let i = 0; i < runs; i++) all.push(await ask(program))
      tools[tool] = sum(all)
    }
    say(`${program.name} done`)
    if (Object.values(tools)[0].steps > 0) rows.push({ program: program.name, tools })
  }
  return { rows, missing }
}

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  const names = PROGRAMS.map(nameOf)
  const unknown = values.programs.split(',').find((name) => !names.includes(name))
  if (unknown !== undefined) return `--programs ${unknown}: allowed are ${names.join(', ')}`
  if (!/^[1-9]\d*$/.test(values.runs)) return `--runs ${values.runs}: a whole number above 0 is needed`
  return undefined
}

main(run)
