'use strict'

// Renders the object of docs/tune.md: what to do first, then what was measured.

const { columns, printable, styleOf } = require('./layout')
const { median } = require('../statistics')
const { bracketed, count, counted, isNumber, percent, size, time } = require('./units')

/** @typedef {Record<string, any>} Json */
/** @typedef {import('./layout').Style} Style */

const ENDED = {
  decided: '',
  'max-runs': 'stopped by --max-runs',
  interrupted: 'interrupted',
  failed: 'stopped by a failure'
}
const FEW = 10
const MUCH_WITHHELD = 0.2
const BEYOND = { 'p99.9': 0.001, p99: 0.01 }

/**
 * @param {Json} resultJson "schema": 1
 * @param {{ color?: boolean, width?: number }} [options] width: columns of the terminal, for lines to fit in
 * @returns {string} lines, each ending in a newline
 */
function renderTune (resultJson, options = {}) {
  const result = printable(resultJson)
  const style = styleOf(options)
  const scope = [counted(result.runs, 'run'), counted(result.rounds, 'whole round'), ENDED[/** @type {keyof ENDED} */ (result.ended)]].filter(Boolean).join(', ')
  return [
    [style.strong(sentence(result)), style.faint(scope), ...warnings(result).map((line) => style.alarm(`! ${line}`))].join('\n'),
    table(result, style),
    notes(result).map((line) => style.faint(line)).join('\n')
  ].join('\n\n') + '\n'
}

/** @param {Json} result @returns {string} what to do */
function sentence ({ objective, candidates, recommendation }) {
  const { flags, where, label, more_memory_bytes: more, promising } = recommendation
  const found = (/** @type {string} */ wanted) => `${objective} ${interval(candidates.find((/** @type {Json} */ one) => one.label === wanted).ratio)}`
  const hope = promising
    ? `; ${promising} may be better still (${found(promising)}): more runs, --max-runs, would tell`
    : ''
  if (!candidates.some((/** @type {Json} */ one) => one.role === 'tried' && one.ratio)) return 'keep the defaults: no candidate was compared with them'
  if (flags.length === 0) return `keep the defaults: no candidate differs beyond noise${hope.replace(' still', '')}`
  const how = where === 'command' ? `node ${flags.join(' ')}` : `NODE_OPTIONS='${flags.join(' ')}'`
  return `use ${how}: ${found(label)}, memory ${more < 0 ? '-' : '+'}${size(Math.abs(more))}${hope}`
}

/** @param {Json} result @param {Style} style */
function table ({ objective, percentile, candidates }, style) {
  const rows = candidates.map((/** @type {Json} */ one) => [
    one.label, count(one.runs.length), time(one.latency_ns.p50), time(one.latency_ns.p99), time(one.latency_ns['p99.9']),
    rate(one.requests_per_s), isNumber(one.gc_ms_per_s) ? one.gc_ms_per_s.toFixed(1) : 'unavailable', time(one.tail_gc_ns), size(one.memory_bytes),
    one.ratio ? interval(one.ratio) : '-', one.verdict ?? ''
  ])
  return columns(['<flags', 'runs', 'p50', 'p99', 'p99.9', 'requests/s', 'GC ms/s', `GC at p${percentile}`, 'memory', `${objective} against defaults`, '<'], rows, style)
}

/** @param {Json} result */
function warnings ({ objective, candidates }) {
  const runs = candidates.flatMap((/** @type {Json} */ one) => one.runs)
  const lossy = runs.filter((/** @type {Json} */ run) => run.lossy).length
  const share = BEYOND[/** @type {keyof BEYOND} */ (objective)]
  const least = Math.min(...runs.map((/** @type {Json} */ run) => run.requests))
  const withheld = median(runs.map((/** @type {Json} */ run) => run.tail_not_running ?? 0))
  return [
    ...withheld > MUCH_WITHHELD ? [`for ${percent(withheld)} of the tail's latency the server was not given a processor, which no size of the heap changes: edgewise report says by what`] : [],
    ...candidates.flatMap((/** @type {Json} */ one) => one.failed ? [`${one.label}: ${one.failed}`] : []),
    ...lossy > 0 ? [`records were lost in ${counted(lossy, 'run')}: their numbers are of what was kept; EDGEWISE_MAX_MB and EDGEWISE_RING_RECORDS allow more`] : [],
    ...share && least * share < FEW
      ? [`${objective} of ${counted(least, 'request')} rests on ${counted(Math.floor(least * share), 'request')} a run: let the load run longer${objective === 'p99.9' ? ', or take --objective p99' : ''}`]
      : []
  ]
}

/** @param {Json} result */
function notes ({ candidates }) {
  const used = (/** @type {RegExp} */ pattern) => candidates.some((/** @type {Json} */ one) => pattern.test(one.label))
  const labels = [
    ...used(/young \d/) ? ['young N: --max-semi-space-size=N --min-semi-space-size=N'] : [],
    ...used(/young ≤/) ? ['young ≤N: --max-semi-space-size=N'] : [],
    ...used(/old \d/) ? ['old N: --max-old-space-size=N'] : []
  ]
  return [
    `${labels.join('; ')} (MiB).`,
    'Medians over the runs. Differences: geometric mean of the rounds\' ratios, [95 % confidence interval, for all candidates together].',
    '"defaults, again" is the same thing measured twice: what noise looks like here.'
  ]
}

/** @param {any} ratio */
function interval (ratio) {
  return `${signed(ratio.ratio)} %${bracketed(signed, ratio)}`
}

function signed (/** @type {number} */ ratio) {
  const percent = Math.round(100 * (ratio - 1))
  return percent > 0 ? `+${percent}` : String(percent)
}

/** @param {number | null} value */
function rate (value) {
  return isNumber(value) && value < 100 ? value.toFixed(1) : count(value)
}

module.exports = { renderTune, sentence }
