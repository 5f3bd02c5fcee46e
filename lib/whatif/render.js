'use strict'

// A prediction (docs/whatif.md) for a terminal.

const { columns, indent, printable, styleOf } = require('../report/layout')
const { count, counted, percent, signed, time } = require('../report/units')

/** @typedef {Record<string, any>} Json */
/** @typedef {import('../report/layout').Style} Style */

const MOST_ROUTES = 8

/**
 * @param {Json} json of `edgewise.whatif`
 * @param {{ color?: boolean, width?: number }} [options]
 * @returns {string} lines, each ending in a newline
 */
function render (json, options = {}) {
  const prediction = printable(json)
  const style = styleOf(options)
  const sections = [
    fit(prediction.fit, style),
    ...prediction.scenarios.map((scenario) => section(scenario, style)),
    goal(prediction.goal, prediction.fit),
    together(prediction.together, style),
    ranking(prediction.ranking, style),
    check(prediction.check, style)
  ]
  return sections.filter(Boolean).join('\n\n') + '\n'
}

/** @param {Json} fit @param {Style} style */
function fit ({ requests, seconds, loops, utilisation, capacity, left_out: leftOut, routes }, style) {
  const errors = Object.entries(routes[0].percentiles).flatMap(([name, each]) => {
    if (!each) return []
    return [`${name} ${signed(each.simulated_ns / each.recorded_ns - 1)}`]
  })
  return [
    style.strong(`${counted(requests, 'request')} of ${seconds.toFixed(0)} s, run again: ${counted(loops.length, 'loop')}, ${percent(utilisation)} busy, at most ${count(capacity)} requests/s`),
    style.faint(`The model against the recording itself: ${errors.join(', ') || 'too few requests'}.`),
    leftOut > 0 ? style.alarm(`! ${counted(leftOut, 'request')} left out: of some not every event is in the trace`) : ''
  ].filter(Boolean).join('\n')
}

/** @param {Json} scenario @param {Style} style */
function section ({ name, routes, utilisation, capacity, assumed, refused }, style) {
  const shown = routes.filter(({ percentiles }) => Object.values(percentiles).some((each) => each?.gain))
  const rows = shown.slice(0, 1 + MOST_ROUTES).flatMap(({ route, percentiles }) => Object.entries(percentiles).flatMap(([percentile, each]) => {
    if (!each?.gain) return []
    return [[route ?? 'all', percentile, time(each.recorded_ns), time(each.after_ns[0]), between(each.after_ns.slice(1).map((ns) => time(ns))), signed(each.gain[0]), between(each.gain.slice(1).map(signed))]]
  }))
  return [
    style.strong(name),
    rows.length > 0 && indent(columns(['<requests', '', 'recorded', 'predicted', '90 %', 'change', '90 %'], rows, style)),
    capacity && `  busy: ${percent(utilisation[0])} -> ${percent(utilisation[1])}; at most ${count(capacity[0])} -> ${count(capacity[1])} requests/s (${signed(capacity[1] / capacity[0] - 1)})`,
    ...refused.map((/** @type {string} */ why) => style.alarm(`  ! ${why}`)),
    ...assumed.map((/** @type {string} */ text) => style.faint(`  assumed: ${text}`))
  ].filter(Boolean).join('\n')
}

/** @param {Json | undefined} goal @param {Json} fit */
function goal (goal, fit) {
  if (!goal) return ''
  const limit = `p${goal.percentile} of ${time(goal.limit_ns)}`
  if (goal.load === null) return `No load keeps ${limit}.`
  return `Up to ${goal.load.toFixed(2)} times the recorded load keeps ${limit}: ${count(goal.load * fit.requests / fit.seconds)} requests/s (there it is ${time(goal.at_ns)}).`
}

/** @param {Json | undefined} together @param {Style} style */
function together (together, style) {
  if (!together) return ''
  const changed = together.throughput[0] !== together.throughput[1]
  const cells = (/** @type {number[]} */ values) => changed ? values.map(count) : [count(values[0])]
  const rows = together.services.map(({ directory, calls, utilisation, bound }) => [directory, calls.toFixed(2), percent(utilisation), ...cells(bound)])
  if (together.processors) rows.push(['(the processors)', '', '', ...cells(together.processors)])
  const limits = together.throughput.map((/** @type {number} */ most, /** @type {number} */ i) => `${count(most)} requests/s, by ${together.limited_by[i] ?? 'the processors'}`)
  return `Together they answer at most ${limits[0]}${changed ? `; after the change ${limits[1]} (${signed(together.throughput[1] / together.throughput[0] - 1)})` : ''}:\n` +
    indent(columns(['<service', 'asked per request', 'busy', 'at most', ...changed ? ['after'] : []], rows, style))
}

/** @param {Json[] | undefined} ranked @param {Style} style */
function ranking (ranked, style) {
  if (!ranked) return ''
  if (ranked.length === 0) return 'Nothing that could be changed takes any time.'
  const rows = ranked.map(({ name, routes: [{ percentiles }], capacity, refused }) => {
    const cell = (/** @type {Json | null} */ each) => each?.gain ? [signed(each.gain[0]), between(each.gain.slice(1).map(signed))] : ['', refused.length > 0 ? 'refused' : '']
    return [name, ...cell(percentiles.p50), ...cell(percentiles.p99), signed(capacity[1] / capacity[0] - 1)]
  })
  return `What is worth changing:\n${indent(columns(['<change', 'p50', '90 %', 'p99', '90 %', 'capacity'], rows, style))}`
}

/** @param {Json | undefined} check @param {Style} style */
function check (check, style) {
  if (!check) return ''
  const rows = check.rows.map(({ percentile, predicted_ns: predicted, recorded_ns: recorded, error, inside }) =>
    [percentile, time(predicted[0]), between(predicted.slice(1).map((ns) => time(ns))), time(recorded), signed(error), inside ? 'yes' : 'no'])
  return `Predicted, and what really came (${counted(check.requests, 'request')}):\n${indent(columns(['', 'predicted', '90 %', 'recorded', 'off by', 'inside'], rows, style))}`
}

/** @param {string[]} ends */
const between = ([low, high]) => `[${low}, ${high}]`

module.exports = { render }
