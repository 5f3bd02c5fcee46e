'use strict'

const { readConfig } = require('../config')
const { machineChecks } = require('./checks')
const { EXIT } = require('./failure')
const { colorOf } = require('./terminal')

/** @typedef {import('./checks').Check} Check */

/** @param {import('commander').Command} program */
function add (program) {
  program.command('doctor')
    .summary('tell what can be observed here, and why the rest cannot')
    .description('Tells what this machine, this Node.js and this user can observe and control, with the reason for each no. ' +
      'Exits with 1 when nothing can be recorded.')
    .option('--json', 'print it as JSON')
    .addHelpText('after', `
Examples:
  edgewise doctor
  edgewise doctor --json`)
    .action((options) => {
      process.exitCode = doctor(options)
    })
}

/**
 * @param {{ json?: boolean }} options
 * @returns {number} the exit code
 */
function doctor (options) {
  const native = probe()
  const own = machineChecks()
  // Where both know, the addon has tried it and the files only promise it.
  const tried = new Set(native.checks.map((check) => check.name))
  const checks = [...own.filter((check) => check.essential), ...native.checks, ...own.filter((check) => !check.essential && !tried.has(check.name))]
  const { problems } = readConfig()
  const usable = checks.every((check) => check.available || !check.essential)
  const text = options.json
    ? JSON.stringify({ schema: 1, usable, facts: native.facts, checks, problems }, null, 2) + '\n'
    : require('../report/checks').renderChecks({ usable, facts: native.facts, checks, problems }, { color: colorOf(process.stdout) })
  process.stdout.write(text)
  return usable ? EXIT.ok : EXIT.failure
}

/**
 * @returns {{ checks: Check[], facts: Record<string, string> }} what the addon found by trying
 */
function probe () {
  const addon = { name: 'addon', essential: true }
  try {
    const { checks, facts } = sorted(require('../index').probe())
    return { checks: [{ ...addon, available: true, reason: 'loaded' }, ...checks], facts }
  } catch (error) {
    return { checks: [{ ...addon, available: false, reason: /** @type {Error} */ (error).message }], facts: {} }
  }
}

/**
 * @param {Record<string, any>} found a plain value is a fact, {available, reason} the answer of a check
 */
function sorted (found) {
  /** @type {Check[]} */
  const checks = []
  /** @type {Record<string, string>} */
  const facts = {}
  for (const [key, value] of Object.entries(found)) {
    if (typeof value?.available === 'boolean') {
      checks.push({ name: value.name ?? key, available: value.available, reason: value.reason || '' })
    } else {
      facts[key] = typeof value === 'string' ? value : JSON.stringify(value)
    }
  }
  return { checks, facts }
}

module.exports = { add }
