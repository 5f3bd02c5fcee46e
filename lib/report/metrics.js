'use strict'

// Recording and boosting as Prometheus's text format has it.

const { LEVELS } = require('./boost')

/** @typedef {Record<string, any>} Json */

const DIGITS = 6 // of a bucket's bound

/**
 * @param {Json} recording of status()
 * @param {Json | null} boost of boostStatus()
 * @param {ReturnType<typeof import('../recording/live').liveRequests>} [live]
 * @returns {string}
 */
function prometheus (recording, boost, live = null) {
  return [
    ...metric('edgewise_recording', 'gauge', 'Whether this thread is recorded.', [[{}, Number(recording.recording)]]),
    ...metric('edgewise_dropped_records_total', 'counter', 'Records that found a buffer full.', [[{}, recording.dropped]]),
    ...metric('edgewise_lost_bytes_total', 'counter', 'Bytes that could not be written.', [[{}, recording.lostBytes]]),
    ...metric('edgewise_written_bytes_total', 'counter', 'Bytes of the trace.', [[{}, recording.writtenBytes]]),
    ...boost ? ofBoost(boost) : [],
    ...live ? ofRequests(live) : []
  ].join('\n') + '\n'
}

/** @param {{ found: Json } | { refused: string }} live */
function ofRequests (live) {
  if (!('found' in live)) return [`# Requests are unavailable: ${live.refused.replaceAll('\n', ' ')}`]
  const { bounds, routes, loop, lost } = live.found
  const byRoute = (/** @type {string} */ part) => routes.map((/** @type {Json} */ of) => [{ route: of.route }, of[part]])
  const pauses = Object.entries(loop.pauses).filter(([, { counts }]) => counts.some((/** @type {number} */ count) => count > 0))
  return [
    ...histogram('edgewise_request_duration_seconds', 'From when a request could be read until its last byte was written.', bounds.duration, byRoute('duration')),
    ...histogram('edgewise_request_io_seconds', 'Of its critical path: nothing was ready.', bounds.part, byRoute('io')),
    ...histogram('edgewise_request_queueing_seconds', 'Of its critical path: something was ready, and did not run.', bounds.part, byRoute('queueing')),
    ...histogram('edgewise_request_execution_seconds', 'Of its critical path: it ran.', bounds.part, byRoute('execution')),
    ...histogram('edgewise_request_loop_seconds', 'So long it occupied the event loop.', bounds.part, byRoute('loop')),
    ...metric('edgewise_requests_failed_total', 'counter', 'Of edgewise.request(): its function threw or rejected.', byRoute('failed')),
    ...metric('edgewise_requests_aborted_total', 'counter', 'Requests whose connection closed first; they are in no histogram.', byRoute('aborted')),
    ...metric('edgewise_requests_lost_total', 'counter', 'Requests of which records are missing; they are in no histogram.', [[{}, lost]]),
    ...histogram('edgewise_loop_event_seconds', 'So long each event occupied the event loop.', bounds.part, [[{}, loop.events]]),
    ...histogram('edgewise_loop_queueing_seconds', 'From when an event was ready until it ran.', bounds.part, [[{}, loop.queueing]]),
    ...histogram('edgewise_gc_pause_seconds', 'Garbage collections, by type.', bounds.part, pauses.map(([type, of]) => [{ type }, of]))
  ]
}

/**
 * @param {string} name
 * @param {string} help
 * @param {number[]} bounds of buckets, s
 * @param {[Record<string, string>, Json][]} samples counts of each bucket, and sum_ns
 */
function histogram (name, help, bounds, samples) {
  if (samples.length === 0) return []
  const ends = [...bounds.map((bound) => String(Number(bound.toPrecision(DIGITS)))), '+Inf'].map((le) => `le="${le}"} `)
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
  // Thousands of lines, and the loop waits for them.
  for (const [labels, { counts, sum_ns: sumNs }] of samples) {
    const own = pairsOf(labels)
    const before = `${name}_bucket{${own === '' ? '' : `${own},`}`
    let count = 0
    for (let i = 0; i < counts.length; i++) {
      count += counts[i]
      lines.push(before + ends[i] + count)
    }
    lines.push(`${name}_sum${braced(own)} ${sumNs / 1e9}`, `${name}_count${braced(own)} ${count}`)
  }
  return lines
}

/** @param {Json} boost */
function ofBoost (boost) {
  const reasons = Object.entries(boost.reasons)
  const reactions = Object.entries(boost.reaction_ns)
  const { kind, normalised, measured_uj: measured } = boost.energy
  const { instructions, cycles } = boost.gc_counters
  return [
    ...metric('edgewise_boosts_total', 'counter', 'Times that the frequency was raised, by reason.',
      reasons.map(([reason, { boosts }]) => [{ reason }, boosts])),
    ...metric('edgewise_boosted_seconds_total', 'counter', 'Time at a raised frequency, by reason.',
      reasons.map(([reason, of]) => [{ reason }, of.boosted_ns / 1e9])),
    ...metric('edgewise_frequency_seconds_total', 'counter', 'Time at each level of the frequency.',
      LEVELS.map((level) => [{ level, khz: String(boost.frequencies_khz[level]) }, boost.residency_ns[level] / 1e9])),
    ...metric('edgewise_boost_reaction_seconds', 'gauge', 'From the cause until the actuator was asked, 99th percentile.',
      reactions.map(([reason, { p99 }]) => [{ reason }, p99 / 1e9])),
    ...metric('edgewise_boost_errors_total', 'counter', 'Times that the frequency could not be changed.', [[{}, boost.set_errors]]),
    ...metric('edgewise_boost_dropped_signals_total', 'counter', 'Signals that could not be handed over.', [[{}, boost.dropped_signals]]),
    ...metric('edgewise_boost_energy_ratio', 'gauge', 'Energy over that of the low level.', [[{ kind }, normalised]]),
    ...metric('edgewise_package_joules_total', 'counter', 'Energy of the processor packages, measured.', [[{}, measured === null ? undefined : measured / 1e6]]),
    ...metric('edgewise_gc_instructions_total', 'counter', 'Instructions of collections on this thread.', [[{}, instructions]]),
    ...metric('edgewise_gc_cycles_total', 'counter', 'Cycles that they took.', [[{}, cycles]])
  ]
}

/**
 * @param {string} name
 * @param {'counter' | 'gauge'} type
 * @param {string} help
 * @param {[Record<string, string>, number | undefined][]} samples undefined: not known
 * @returns {string[]} lines; none without a sample
 */
function metric (name, type, help, samples) {
  const known = samples.filter(([, value]) => value !== undefined)
  if (known.length === 0) return []
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...known.map(([labels, value]) => `${name}${labelled(labels)} ${value}`)]
}

/** @param {Record<string, string>} labels */
function labelled (labels) {
  return braced(pairsOf(labels))
}

/** @param {Record<string, string>} labels */
function pairsOf (labels) {
  return Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, (character) => character === '\n' ? '\\n' : `\\${character}`)}"`).join(',')
}

function braced (/** @type {string} */ pairs) {
  return pairs === '' ? '' : `{${pairs}}`
}

module.exports = { prometheus }
