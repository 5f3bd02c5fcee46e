'use strict'

// A row of the table of docs/off-cpu.md.

const { OFF } = require('./judge')

/**
 * @param {import('./programs').Program} program
 * @param {import('./judge').Row[]} rows
 * @param {{ told: any[] }} result
 * @returns {string} Markdown
 */
function rowOf ({ name }, rows, { told }) {
  const ms = (ns) => (ns / 1e6).toFixed(2)
  const known = ({ least, most }) => ms(least) === ms(most) ? ms(least) : `${ms(least)} to ${ms(most)}`
  const mean = (kind) => told.reduce((sum, { not_running: not }) => sum + not[`${kind}_ns`], 0) / told.length
  const kinds = OFF.filter((kind) => mean(kind) > 0).map((kind) => `${kind} ${ms(mean(kind))}`)
  return `| ${[name, told.length, ...rows.slice(0, 3).flatMap((row) => [known(row), ms(row.told)]), kinds.join(', ')].join(' | ')} |`
}

module.exports = { rowOf }
