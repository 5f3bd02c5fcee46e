'use strict'

// What an experiment has found, for a terminal.

const { columns, indent, printable, styleOf } = require('../report/layout')
const { count } = require('../report/units')

/** @typedef {Record<string, any>} Json */

/**
 * @param {Json} json of `edgewise slow --json`
 * @param {{ color?: boolean, width?: number }} [options]
 * @returns {string} lines, each ending in a newline
 */
function render (json, options = {}) {
  const result = printable(json)
  const style = styleOf(options)
  const { target, throughput, cuts, idle, services, notes } = result
  const headline = cuts.map((/** @type {Json} */ cut) => style.strong(
    `${target} faster by ${cut.name} a request: ${count(throughput)} -> ${count(throughput * (1 + cut.gain[0]))} requests/s, ${gain(cut)}`))
  const taken = services.map((/** @type {Json} */ { name, cpus, busy }) => [name, cpus, busy.toFixed(2), name === target ? 'the target' : ''])
  return [
    ...headline,
    style.faint(`Hardly slowed (pauses of 100 µs), what pausing costs by itself: ${gain(idle)}.`),
    ...notes.map((/** @type {string} */ text) => style.alarm(`! ${text}`)),
    '',
    indent(columns(['<service', 'processors', 'busy, of one', '<'], taken, style)),
    '',
    'Each repetition, requests/s:',
    indent(runsOf(result, style))
  ].join('\n') + '\n'
}

/** @param {Json} result @param {import('../report/layout').Style} style */
function runsOf ({ runs, cuts, idle }, style) {
  const repetitions = [...new Set(runs.map((/** @type {Json} */ { repetition }) => repetition))]
  const of = (/** @type {number} */ repetition, /** @type {string | null} */ cut) => runs.find((/** @type {Json} */ run) => run.repetition === repetition && run.cut === cut)
  const rows = repetitions.map((repetition) => [
    String(repetition), count(of(repetition, null).throughput), count(of(repetition, idle.name).predicted),
    ...cuts.flatMap((/** @type {Json} */ { name }) => [count(of(repetition, name).throughput), count(of(repetition, name).predicted)])
  ])
  return columns(['', 'as it is', 'hardly slowed', ...cuts.flatMap((/** @type {Json} */ { name }) => [`${name}: slowed`, 'predicted'])], rows, style)
}

/** @param {Json} found */
function gain ({ gain: [value, low, high] }) {
  return `${signed(value)} ${high === null ? '(one repetition has no interval)' : `[${signed(low)}, ${signed(high)}]`}`
}

/** @param {number} ratio */
const signed = (ratio) => `${ratio >= 0 ? '+' : ''}${(100 * ratio).toFixed(1)} %`

module.exports = { render }
