'use strict'

const { columns, printable, styleOf } = require('./layout')

/**
 * What `edgewise doctor` found.
 *
 * @param {object} found
 * @param {boolean} found.usable
 * @param {Record<string, string>} found.facts
 * @param {{ name: string, available: boolean, reason: string, essential?: boolean }[]} found.checks
 * @param {string[]} found.problems of the environment
 * @param {{ color?: boolean, width?: number }} [options]
 * @returns {string}
 */
function renderChecks (found, options = {}) {
  const { usable, facts, checks, problems } = printable(found)
  const style = styleOf(options)
  const rows = checks.map(({ name, available, reason, essential }) => [
    name, available ? 'yes' : essential ? style.alarm('no') : 'no', reason
  ])
  const failed = checks.filter((check) => check.essential && !check.available).map((check) => check.name)
  const parts = [
    style.strong(usable ? 'Requests can be recorded here.' : `Requests cannot be recorded here: see ${failed.join(', ')}.`),
    ...problems.map((problem) => style.alarm(`! ${problem}`)),
    '',
    columns(['<', '<', '<'], rows, style)
  ]
  const known = Object.entries(facts)
  if (known.length > 0) parts.push('', known.map(([key, value]) => style.faint(`${key} ${value}`)).join(style.faint(', ')))
  return parts.join('\n') + '\n'
}

module.exports = { renderChecks }
