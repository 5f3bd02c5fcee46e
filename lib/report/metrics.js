'use strict'

// Recording and boosting as Prometheus's text format has it.

const { LEVELS } = require('./boost')

/** @typedef {Record<string, any>} Json */

/**
 * @param {Json} recording of status()
 * @param {Json | null} boost of boostStatus()
 * @returns {string}
 */
function prometheus (recording, boost) {
  return [
    ...metric('edgewise_recording', 'gauge', 'Whether this thread is recorded.', [[{}, Number(recording.recording)]]),
    ...metric('edgewise_dropped_records_total', 'counter', 'Records that found a buffer full.', [[{}, recording.dropped]]),
    ...metric('edgewise_lost_bytes_total', 'counter', 'Bytes that could not be written.', [[{}, recording.lostBytes]]),
    ...metric('edgewise_written_bytes_total', 'counter', 'Bytes of the trace.', [[{}, recording.writtenBytes]]),
    ...boost ? ofBoost(boost) : []
  ].join('\n') + '\n'
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
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, (character) => character === '\n' ? '\\n' : `\\${character}`)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

module.exports = { prometheus }
