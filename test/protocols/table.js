'use strict'

// The table of docs/protocol-truth.md.

const { CONNECTIONS, LOOPS } = require('./program')
const { knownOf } = require('./known')

/**
 * @param {import('./judge').Verdict[]} verdicts of all requests
 * @returns {string} Markdown
 */
function tableOf (verdicts) {
  const protocols = [...new Set(verdicts.map(({ cell }) => cell.split(' ')[0]))]
  const rows = protocols.flatMap((protocol) => CONNECTIONS.flatMap((connection) => LOOPS.map((loop) => [protocol, connection, loop].join(' '))))
    .filter((cell) => verdicts.some((each) => each.cell === cell))
    .map((cell) => rowOf(cell, verdicts.filter((each) => each.cell === cell)))
  const head = ['Protocol', 'Connection', 'Loop', 'Requests', 'Known within µs', 'I/O µs', 'Queueing µs', 'Execution µs', 'Names right', 'Recall', 'Precision']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function rowOf (cell, verdicts) {
  const worst = (component) => String(Math.round(Math.max(...verdicts.map(({ errors }) => Math.abs(errors[component]))) / 1e3))
  const sum = (key) => verdicts.reduce((total, { causality }) => total + causality[key], 0)
  const percent = (part, whole) => `${Math.round(100 * part / whole)} %`
  const widths = verdicts.map(({ width }) => width).sort((a, b) => a - b)
  const named = verdicts.filter(({ names }) => names.length === 0).length
  return [...cell.split(' '), String(verdicts.length), String(Math.round(widths[widths.length >> 1] / 1e3)), ...['io', 'queue', 'exec'].map(worst), `${named}${knownOf(cell) ? ' (known)' : ''}`,
    percent(sum('right'), sum('expected')), percent(sum('right'), sum('found') + sum('foreign'))]
}

module.exports = { tableOf }
