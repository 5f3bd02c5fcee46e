'use strict'

// A report of several services (docs/across.md) for a terminal.

const { columns, indent, printable, styleOf } = require('../report/layout')
const { count, counted, percent, time } = require('../report/units')

/** @typedef {Record<string, any>} Json */
/** @typedef {import('../report/layout').Style} Style */

const MOST_CALLS = 20
/** Clocks that are not further apart are taken for the same; ns. */
const SAME_NS = 1e6
/** Bursts that are further apart, of their length, are not the same. */
const APART = 0.25
/** How calls were joined that their connection does not tell. */
const OTHERWISE = /** @type {Record<string, string>} */ ({ traceparent: 'by traceparent', 'x-request-id': 'by x-request-id', bytes: 'inferred by their bytes' })
/** What is shorter is not told of a single request. */
const SHORT = 0.01

/**
 * @param {Json} json of `edgewise.across`
 * @param {{ color?: boolean, width?: number, percentile?: number }} [options]
 * @returns {string} lines, each ending in a newline
 */
function render (json, { percentile = 99, ...options } = {}) {
  const found = printable(json)
  const style = styleOf(options)
  return [services(found, percentile, style), calls(found.calls, style), clocks(found, style), slowest(found, style)].filter(Boolean).join('\n\n') + '\n'
}

/** @param {Json} found @param {number} percentile @param {Style} style */
function services ({ services: all }, percentile, style) {
  const rows = all.map(({ service, directory, report, calls: asked, joined, by, undecided }) => [
    service, count(report.requests.count), time(report.latency_ns?.p50), time(report.tail?.threshold_ns),
    asked === 0 ? 'none' : joinedText({ asked, joined, by, undecided }), directory
  ])
  const none = all.every(({ joined }) => joined === 0)
  return `${style.strong(`${counted(all.length, 'recording')} of ${counted(new Set(all.map(({ service }) => service)).size, 'service')}.`)}\n` +
    indent(columns(['<service', 'requests', 'p50', `p${percentile}`, 'calls joined', '<recording'], rows, style)) +
    (none ? `\n${style.alarm('! no call was answered by what the others have recorded: they were recorded at other times, before edgewise knew addresses, or behind a proxy')}` : '')
}

/** @param {Json} counts of a service's calls */
function joinedText ({ asked, joined, by, undecided }) {
  const otherwise = Object.keys(OTHERWISE).filter((how) => by[how] > 0).map((how) => `${count(by[how])} ${OTHERWISE[how]}`)
  return [`${count(joined)} of ${count(asked)}`, ...otherwise, ...undecided > 0 ? [`${count(undecided)} may be one of several`] : []].join(', ')
}

/** @param {Json[]} all @param {Style} style */
function calls (all, style) {
  if (all.length === 0) return ''
  const byWeight = [...all].sort((one, other) => weight(other) - weight(one)).slice(0, MOST_CALLS)
  const rows = byWeight.flatMap(({ from, to, route, tail, rest }) => [['tail', tail], ['rest', rest]].filter(([, { calls: made }]) => made > 0).map(([part, of], i) => [
    i === 0 ? `${from} → ${to}` : '', i === 0 ? route : '', part, count(of.calls), time(of.io_ns), time(of.network_ns), time(of.queue_ns), time(of.exec_ns), time(of.service_io_ns), time(of.gc_ns),
    of.behind.map((/** @type {Json} */ { route: other, ns }) => `${other} ${time(ns / of.calls)}`).slice(0, 2).join(', ')
  ]))
  return 'What a call to another service consists of, of slow requests (tail) and of the others:\n' +
    indent(columns(['<', '<route there', '<', 'calls', 'took', 'network', 'queued', 'ran', 'waited', 'of it GC', '<queued behind'], rows, style))
}

/** @param {Json} found @param {Style} style */
function clocks ({ clocks: all, services: recordings }, style) {
  return all.flatMap((clock) => {
    const { from, to, ahead_least_ns: least, ahead_most_ns: most, minutes } = clock
    if (minutes.some(({ ahead_least_ns: none }) => none === null)) return [`A clock of ${from} or of ${to} was set while they were recorded.`]
    if (least === null) return [`The clocks of ${from} and ${to} drift: that of ${to} was at first ${apart(minutes[0])} that of ${from}, at last ${apart(minutes.at(-1))} it. No time above depends on it.`]
    if (least <= SAME_NS && most >= -SAME_NS) return []
    const near = least > 0 ? least : -most
    const bursts = recordings.filter(({ service }) => service === from || service === to).map(({ report }) => report.bursts?.duration_ns ?? Infinity)
    return [`The clock of ${to} is ${apart(clock)} that of ${from}. No time above depends on it.`,
      ...near > APART * Math.min(...bursts) ? [style.alarm('! so their bursts are not the same: set both clocks by NTP (docs/bursts.md)')] : []]
  }).join('\n')
}

/** @param {Json} clock which bounds hold */
function apart ({ ahead_least_ns: least, ahead_most_ns: most }) {
  if (least > 0) return `${time(least)} to ${time(most)} ahead of`
  if (most < 0) return `${time(-most)} to ${time(-least)} behind`
  return `${time(-least)} behind to ${time(most)} ahead of`
}

/** @param {Json} call @returns {number} */
function weight ({ tail }) {
  return tail.calls > 0 ? tail.calls * tail.io_ns : 0
}

/** @param {Json} found @param {Style} style */
function slowest ({ slowest: all, truncated }, style) {
  if (all.length === 0) return ''
  const requests = all.map((/** @type {Json} */ request) => [
    style.strong(`${request.service}: ${request.route}, request ${request.id} of process ${request.process}: ${time(request.latency_ns)}`),
    indent(`queued ${time(request.queue_ns)}, ran ${time(request.exec_ns)}, waited ${time(request.io_ns)}${request.calls.length > 0 ? '; of that:' : ''}`),
    ...callLines(request.calls, request.latency_ns, 2)
  ].join('\n'))
  return ['The slowest requests, through all services:', ...requests, ...truncated ? [style.faint('Some calls are not told: there are too many.')] : []].join('\n\n')
}

/** @param {Json[]} all @param {number} whole ns @param {number} depth @returns {string[]} */
function callLines (all, whole, depth) {
  const long = all.filter(({ io_ns: io }) => io >= whole * SHORT)
  return [
    ...long.flatMap(({ service, route, request, io_ns: io, of, behind, same_clock: same, by, calls: further }) => [
      `${'  '.repeat(depth)}${time(io)} ${service}: ${route}, request ${request}: network ${time(of.network_ns)}, queued ${time(of.queue_ns)}${behind ? ` (behind ${behind.route} ${time(behind.ns)})` : ''}, ran ${time(of.exec_ns)}, waited ${time(of.io_ns)}${same ? '' : ', by another clock'}${OTHERWISE[by] ? `, ${OTHERWISE[by]}` : ''} (${percent(io / whole)})`,
      ...callLines(further, whole, depth + 1)
    ]),
    ...long.length < all.length ? [`${'  '.repeat(depth)}${counted(all.length - long.length, 'shorter call')}`] : []
  ]
}

module.exports = { render }
