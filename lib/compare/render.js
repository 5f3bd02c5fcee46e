'use strict'

// A comparison (docs/compare.md) for a terminal.

const { columns, indent, printable, styleOf } = require('../report/layout')
const { count, counted, difference, isNumber, percent, signed, size, time } = require('../report/units')
const { between, sentence, spokenOf } = require('./verdict')

/** @typedef {import('./verdict').Json} Json */
/** @typedef {import('../report/layout').Style} Style */

const MOST_ROUTES = 10
/** Where more may be by chance, nothing is told of a route. */
const SURE = 0.05
const PARTS = { io: 'I/O', queue: 'queueing', execution: 'execution', gc: 'garbage collection', not_running: 'not running' }

/**
 * @param {Json} json of `edgewise.compare`
 * @param {{ color?: boolean, width?: number, percentile?: string, verdict?: string }} [options]
 * @returns {string} lines, each ending in a newline
 */
function render (json, { percentile, verdict, ...options } = {}) {
  const found = printable(json)
  const style = styleOf(options)
  const sections = found.values
    ? [values(found.values, style)]
    : [
        head(found, { percentile, verdict, style }),
        percentiles(found, style),
        mixture(found, style),
        why('Why: what the mean latency is made of', found.why, style),
        why('Why: what the slowest 1 % of each side is made of', found.why_tail, style),
        routes(found.routes, style),
        shift(found.shift, style)
      ]
  return sections.filter(Boolean).join('\n\n') + '\n'
}

/** @param {Json} found @param {{ percentile?: string, verdict?: string, style: Style }} how */
function head (found, { percentile, verdict, style }) {
  const { a, b, concurrent, memory_ns: memory, block_ns: block, refused, untold } = found
  return [
    style.strong(sentence(found, percentile)),
    verdict && style.strong(`${verdict}.`),
    style.faint(`A: ${counted(a.requests, 'request')}, B: ${count(b.requests)}, ${concurrent ? 'recorded at the same time' : 'recorded at different times'}. The latency remembers ${time(memory)}; blocks of ${time(block)}: ${count(a.blocks)} and ${count(b.blocks)}.`),
    ...refused.map((/** @type {string} */ reason) => style.alarm(`! ${reason}`)),
    ...untold.map((/** @type {string} */ reason) => style.faint(`${reason}.`))
  ].filter(Boolean).join('\n')
}

/** @param {Json} found @param {Style} style */
function percentiles (found, style) {
  const rows = Object.entries(found.percentiles).map(([name, each]) => [
    name, time(each.a_ns), time(each.b_ns), signed(each.change?.value), between(each.change), between(each.a_a),
    signed(each.standardised?.value), between(each.standardised), each.by_connection ? between(each.by_connection) : 'unavailable', signed(each.smallest)
  ])
  if (rows.length === 0) return ''
  return columns(['<', 'A', 'B', 'change', '95 %', found.second_a ? 'second A' : 'A/A', "A's mixture", '95 %', 'by connection', 'smallest'], rows, style) + '\n' +
    style.faint("Smallest: the effect that this much data would show in four of five cases. A's mixture: with the routes' shares of A on both sides.")
}

/** @param {Json} found @param {Style} style */
function mixture ({ mixture: { rate, a, b, shares, largest } }, style) {
  const differ = shares.filter((/** @type {Json} */ { a: one, b: other }) => Math.abs(one - other) >= 0.005)
    .sort((/** @type {Json} */ one, /** @type {Json} */ other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a)).slice(0, MOST_ROUTES)
  const rows = [
    ['requests/s', a.requests_per_s.toFixed(1), b.requests_per_s.toFixed(1), rate ? `${signed(rate.value)} ${between(rate)}` : ''],
    ['in flight', a.in_flight.toFixed(2), b.in_flight.toFixed(2), ''],
    ['bytes of a request', size(a.bytes), size(b.bytes), ''],
    ...differ.map((/** @type {Json} */ { route, a: one, b: other }) => [`share of ${route}`, percent(one), percent(other), ''])
  ]
  const same = differ.length === 0 ? ` (shares of routes differ by at most ${percent(largest)})` : ''
  return `Load${same}:\n${indent(columns(['<', 'A', 'B', '<change'], rows, style))}`
}

/** @param {string} title @param {Json[]} parts @param {Style} style */
function why (title, parts, style) {
  const row = (/** @type {string} */ name, /** @type {Json} */ { a_ns: a, b_ns: b, change_ns: change }) =>
    [name, time(a), time(b), difference(change?.value), change ? `[${difference(change.low)}, ${difference(change.high)}]` : '', change && (change.low > 0 || change.high < 0) ? '*' : '']
  const known = parts.filter(({ a_ns: a, b_ns: b }) => isNumber(a) && isNumber(b) && (a > 0 || b > 0))
  if (known.length === 0) return ''
  const sum = (/** @type {(part: Json) => number} */ of) => known.reduce((total, part) => total + of(part), 0)
  const rows = known.flatMap((part) => [
    row(PARTS[part.part], part),
    ...part.details.map((/** @type {Json} */ detail) => row(`  ${detail.name}`, detail))
  ])
  const all = ['all', time(sum((part) => part.a_ns)), time(sum((part) => part.b_ns)), difference(sum((part) => part.b_ns - part.a_ns)), '', '']
  return `${title}:\n${indent(columns(['<', 'A', 'B', 'change', '95 %', '<'], [...rows, all], style))}`
}

/** @param {Json[]} compared @param {Style} style */
function routes (compared, style) {
  if (compared.length < 2) return ''
  const rows = compared.slice(0, MOST_ROUTES).map(({ route, a_requests: a, b_requests: b, p50, p99, chance }) => [
    route, count(a), count(b), signed(p50?.value), between(p50), signed(p99?.value), between(p99), chance < SURE ? `differs (${chance < 0.001 ? 'p < 0.001' : `p = ${chance.toFixed(3)}`})` : ''
  ])
  return `Routes, all together at 5 % (Holm):\n${indent(columns(['<', 'A', 'B', 'p50', '95 %', 'p99', '95 %', '<'], rows, style))}`
}

/** @param {Json[]} points @param {Style} style */
function shift (points, style) {
  const shown = points.filter((_, i) => i % 2 === 1 || i === points.length - 1)
  if (shown.length === 0) return ''
  return `The whole distribution; the band holds for all points together:\n${indent(columns(['<fastest', 'change', '95 %'], shown.map(({ share, change }) => [percent(share), signed(change?.value), between(change)]), style))}`
}

/** @param {Json[]} compared each against all others @param {Style} style */
function values (compared, style) {
  const rows = compared.map((found) => {
    const cells = ['p50', 'p99'].flatMap((name) => {
      const change = found.percentiles[name]?.change
      return change ? [signed(change.value), between(change)] : ['', '']
    })
    return [found.value, count(found.b.requests), ...cells, found.refused[0] ?? (spokenOf(found) ? '' : found.untold[0] ?? '')]
  })
  const sure = compared.filter((found) => found.refused.length === 0 && Object.values(found.percentiles).some(({ change }) => change && (change.low > 0 || change.high < 0))).length
  return `Each against all others: ${counted(compared.length, 'value')}, ${count(sure)} ${sure === 1 ? 'differs' : 'differ'} (one in twenty does by chance).\n${indent(columns(['<', 'requests', 'p50', '95 %', 'p99', '95 %', '<no verdict, because'], rows, style))}`
}

module.exports = { render }
