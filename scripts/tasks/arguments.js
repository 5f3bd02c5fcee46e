'use strict'

// Command lines of the scripts: --help, and exit code 2 for what is not known.

const { parseArgs } = require('node:util')
const { TaskError } = require('./step')

/**
 * @param {string[]} args
 * @param {string} usage printed for --help and after an error
 * @param {import('node:util').ParseArgsConfig['options']} options as parseArgs takes them
 * @param {(values: any, positionals: string[]) => string | undefined} [problem] what is wrong with the values, if anything
 * @returns {{values: any, positionals: string[]}}
 * @throws {TaskError} exit code 2: names the value and what is allowed
 */
function parseArguments (args, usage, options, problem = noPositionals) {
  let parsed
  try {
    parsed = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' }, ...options }, allowPositionals: true })
  } catch (error) {
    throw new TaskError(`${error.message}\n\n${usage}`, 2)
  }
  if (parsed.values.help) throw new TaskError(usage, 0)
  const wrong = problem(parsed.values, parsed.positionals)
  if (wrong) throw new TaskError(`${wrong}\n\n${usage}`, 2)
  return parsed
}

function noPositionals (_values, positionals) {
  return positionals.length ? `'${positionals[0]}': no such argument` : undefined
}

module.exports = { parseArguments }
