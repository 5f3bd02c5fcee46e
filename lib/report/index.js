'use strict'

// Renders the object of docs/report-json.md for a terminal: what to act on
// first, then what is missing, then the evidence.

const { boost } = require('./boost')
const { functions } = require('./functions')
const { printable, styleOf } = require('./layout')
const { escaped } = require('./markdown')
const { losses } = require('./losses')
const { notes } = require('./notes')
const { single, slowest } = require('./paths')
const { sentence } = require('./sentence')
const { blockers, dependencies, latency, routes, tailAgainstRest } = require('./tables')
const { counted, isNumber, percent, time } = require('./units')

/** @typedef {Record<string, any>} Json */

/**
 * @param {Json} reportJson the report, "schema": 1
 * @param {{ color?: boolean, width?: number }} [options] width: columns of the terminal, for lines to fit in
 * @returns {string} lines, each ending in a newline
 */
function render (reportJson, options = {}) {
  const report = printable(reportJson)
  const style = styleOf(options)
  const missing = losses(report).map((line) => style.alarm(`! ${line}`)).join('\n')
  const sections = [
    [style.strong(sentence(report)), style.faint(scope(report)), missing].filter(Boolean).join('\n'),
    ...tables(report, style),
    report.request ? single(report, style) : slowest(report, style),
    boost(report, style),
    notes(report).map((line) => style.faint(line)).join('\n')
  ]
  return sections.filter(Boolean).join('\n\n') + '\n'
}

/** @param {Json} report @param {import('./layout').Style} style */
function tables (report, style) {
  return [latency, tailAgainstRest, routes, blockers, functions, dependencies].map((table) => table(report, style))
}

/**
 * The same as Markdown, for a pull request: the finding and the tables.
 * @param {Json} reportJson
 * @param {{ page?: string }} [links] page: the file of its page, beside it
 * @returns {string} lines, each ending in a newline
 */
function renderMarkdown (reportJson, { page } = {}) {
  const report = escaped(printable(reportJson))
  const plain = (/** @type {string} */ text) => text
  const style = { width: Infinity, strong: plain, faint: plain, alarm: plain, markdown: true }
  const sections = [
    `**${sentence(report)}**`,
    scope(report),
    losses(report).map((line) => `- ${line}`).join('\n'),
    ...tables(report, style),
    notes(report).map((line) => `- ${line}`).join('\n'),
    page ? `[The page of this report](${page})` : ''
  ]
  return sections.filter(Boolean).map((section) => section.trim()).join('\n\n') + '\n'
}

/**
 * What a reader is told first.
 * @param {Json} reportJson the report, "schema": 1
 * @returns {{ finding: string, recorded: string, losses: string[], notes: string[] }} losses: what is missing
 */
function summary (reportJson) {
  const report = printable(reportJson)
  return { finding: sentence(report), recorded: scope(report), losses: losses(report), notes: notes(report) }
}

/** @param {Json} report @returns {string} what was analysed, in one line */
function scope ({ requests = {}, events = {}, duration_ns: duration, processes, threads, gc, loop }) {
  const parts = [counted(requests.count ?? 0, 'request'), counted(events.count ?? 0, 'event')]
  if (isNumber(duration)) parts.push(time(duration))
  if (isNumber(processes)) parts.push(counted(processes, 'process', 'processes'))
  if (isNumber(threads)) parts.push(counted(threads, 'thread'))
  const busiest = threads > 1 ? loop?.busiest : loop
  if (isNumber(busiest?.utilisation)) parts.push(`${threads > 1 ? 'busiest ' : ''}event loop busy ${percent(busiest.utilisation)}${onProcessor(busiest)}`)
  if (gc?.count) parts.push(`${counted(gc.count, 'GC')} in ${time(gc.total_ns)}${collecting(gc)}`)
  return parts.join(', ')
}

/** @param {Json} loop @returns {string} which share of the recorded time it ran on a processor, where that is another */
function onProcessor ({ busy_ns: busy, span_ns: span, not_running_ns: off }) {
  return off > 0.01 * busy ? `, on the processor ${percent((busy - off) / span)}` : ''
}

/** @param {Json} gc @returns {string} for how long of that it ran, where that is another time */
function collecting ({ total_ns: total, not_running_ns: off }) {
  return off > 0.01 * total ? ` (${time(total - off)} on the processor)` : ''
}

module.exports = { render, renderMarkdown, summary }
