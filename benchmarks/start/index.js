'use strict'

// What `--require edgewise/register` adds to the start of a process.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { median, pairedDifference } = require('../../lib/statistics')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { main } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')

const USAGE = `Usage: npm run bench:start -- [options]

Starts Node with and without --require edgewise/register, in turns, and tells how
long it takes until the program's first line: elapsed time, and the processor's.

  --register FILE  of an installed package (this checkout's lib/register.js)
  --rounds N       each starts all variants once (60)`

/** Since the process began. */
const FIRST_LINE = 'const { user, system } = process.cpuUsage(); console.log(JSON.stringify({ elapsedMs: performance.now(), cpuMs: (user + system) / 1000 }))'

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    register: { type: 'string', default: path.join(ROOT, 'lib', 'register.js') },
    rounds: { type: 'string', default: '60' }
  }, problem)
  const variants = variantsOf(path.resolve(values.register))
  const names = Object.keys(variants)
  /** @type {Record<string, { elapsedMs: number, cpuMs: number }[]>} */
  const found = Object.fromEntries(names.map((name) => [name, []]))
  for (const name of names) start(variants[name]) // Files are read once.
  for (let round = 0; round < Number(values.rounds); round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]
      found[name].push(start(variants[name]))
    }
  }
  console.log(`Node ${process.version}, ${os.cpus()[0].model}, ${values.rounds} rounds\n\n${table(found)}`)
}

/** @param {string} register @returns {Record<string, { flags: string[], env: NodeJS.ProcessEnv }>} the first is what all are compared with */
function variantsOf (register) {
  return {
    bare: { flags: [], env: {} },
    'bare again (A/A)': { flags: [], env: {} },
    recording: { flags: ['--require', register], env: {} },
    disabled: { flags: ['--require', register], env: { EDGEWISE_ENABLED: '0' } }
  }
}

function start ({ flags, env }) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-start-'))
  try {
    const { NODE_OPTIONS: _, ...own } = process.env
    return JSON.parse(execFileSync(process.execPath, [...flags, '-e', FIRST_LINE], { env: { ...own, ...env, EDGEWISE_OUT: out }, encoding: 'utf8' }))
  } finally {
    fs.rmSync(out, { recursive: true, force: true })
  }
}

function table (found) {
  const [base, ...others] = Object.keys(found)
  const cell = (/** @type {string} */ name, /** @type {'elapsedMs' | 'cpuMs'} */ what) => {
    const { difference, low, high } = pairedDifference(found[name].map((each) => each[what]), found[base].map((each) => each[what]))
    return `${signed(difference)} [${signed(low)}, ${signed(high)}]`
  }
  const bare = `| ${base} (median) | ${median(found[base].map((each) => each.elapsedMs)).toFixed(1)} | ${median(found[base].map((each) => each.cpuMs)).toFixed(1)} |`
  const rows = others.map((name) => `| ${name} | ${cell(name, 'elapsedMs')} | ${cell(name, 'cpuMs')} |`)
  return ['| | until the first line, ms | of the processor, ms |', '|---|---|---|', bare, ...rows].join('\n')
}

const signed = (/** @type {number} */ value) => `${value < 0 ? '' : '+'}${value.toFixed(1)}`

function problem (/** @type {{ rounds: string, register: string }} */ { rounds, register }) {
  if (!/^[1-9]\d*$/.test(rounds) || Number(rounds) < 2) return `--rounds ${rounds}: must be a whole number from 2`
  return fs.existsSync(register) ? undefined : `--register ${register}: no such file`
}

main(run)
