'use strict'

// The options of benchmarks that saturate servers in turn.

const { FILES, fileSettings, numberOptions, numberSettings } = require('./arguments')
const { resumeProblem } = require('./rounds')

/**
 * @param {{ runs: number, seconds: number, warmup: number, connections: number }} defaults
 * @returns {import('./arguments').Options}
 */
function serverOptions ({ runs, seconds, warmup, connections }) {
  return {
    ...numberOptions({ runs, seconds, warmup, connections }),
    'server-cpus': { type: 'string', default: '0' },
    'helper-cpus': { type: 'string', default: '0,1' },
    'load-cpus': { type: 'string', default: '1' },
    generator: { type: 'string' },
    ...FILES
  }
}

/** @param {any} values of these options, which problemWith() has found right */
function serverSettings (values) {
  return {
    ...numberSettings(values, ['runs', 'seconds', 'warmup', 'connections']),
    serverCpus: values['server-cpus'],
    helperCpus: values['helper-cpus'],
    loadCpus: values['load-cpus'],
    generator: values.generator,
    ...fileSettings(values)
  }
}

/**
 * @param {any} values
 * @param {string[]} positionals
 * @param {[string, string[], string[]][]} lists an option, the names that it lists, and those that are allowed
 * @param {string[]} [wholes] more options that are whole numbers
 * @returns {string | undefined} what is wrong, for parseArguments()
 */
function problemWith (values, positionals, lists, wholes = []) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  for (const [option, names, allowed] of lists) {
    const unknown = names.find((name) => !allowed.includes(name))
    if (unknown !== undefined) return `--${option} ${unknown}: allowed are ${allowed.join(', ')}`
  }
  for (const option of ['runs', 'connections', ...wholes]) {
    if (!/^[1-9]\d*$/.test(values[option])) return `--${option} ${values[option]}: a whole number above 0 is needed`
  }
  for (const option of ['seconds', 'warmup']) {
    if (!(/^\d+(\.\d+)?$/.test(values[option]) && Number(values[option]) > 0)) return `--${option} ${values[option]}: a number above 0 is needed`
  }
  return resumeProblem(values)
}

module.exports = { problemWith, serverOptions, serverSettings }
