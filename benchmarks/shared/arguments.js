'use strict'

// The options of benchmarks in rounds: which applications, how much of each,
// and where the numbers and the page go.

const { resumeProblem } = require('./rounds')

/** @typedef {Record<string, { type: 'string' | 'boolean', default?: string | boolean }>} Options as parseArgs takes them */

/** @type {Options} */
const FILES = {
  json: { type: 'string' },
  resume: { type: 'boolean', default: false },
  page: { type: 'string' },
  'no-setup': { type: 'boolean', default: false }
}

/** @param {any} values of FILES */
function fileSettings (values) {
  return { json: values.json, resume: values.resume, page: values.page, setup: !values['no-setup'] }
}

/** @param {Record<string, number>} defaults by option @returns {Options} */
function numberOptions (defaults) {
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: String(value) }]))
}

/** @param {any} values @param {string[]} names @returns {any} the number of each */
function numberSettings (values, names) {
  return Object.fromEntries(names.map((name) => [name, Number(values[name])]))
}

/**
 * @param {string[]} names what --apps may list: all, if it is not given
 * @param {Record<string, number>} defaults of the options that are numbers
 * @returns {Options}
 */
function appOptions (names, defaults) {
  return { apps: { type: 'string', default: names.join(',') }, ...numberOptions(defaults), ...FILES }
}

/** @param {any} values @param {Record<string, number>} defaults @returns {any} */
function appSettings (values, defaults) {
  return { apps: values.apps.split(','), ...numberSettings(values, Object.keys(defaults)), ...fileSettings(values) }
}

/**
 * @param {string[]} names what --apps may list
 * @param {Record<string, number[]>} ranges [least, most] of each option that is a number
 * @returns {(values: any, positionals: string[]) => string | undefined} for parseArguments(); of --resume too
 */
function appsAndRanges (names, ranges) {
  return (values, positionals) => {
    if (positionals.length) return `'${positionals[0]}': no such argument`
    const unknown = values.apps.split(',').find((/** @type {string} */ name) => !names.includes(name))
    if (unknown !== undefined) return `--apps ${unknown}: allowed are ${names.join(', ')}`
    for (const [name, [least, most]] of Object.entries(ranges)) {
      const text = values[name]
      if (text === undefined || (text.trim() !== '' && text >= least && text <= most)) continue
      return `--${name} ${text}: must be a number from ${least} to ${most}`
    }
    return resumeProblem(values)
  }
}

module.exports = { FILES, appOptions, appSettings, appsAndRanges, fileSettings, numberOptions, numberSettings }
