'use strict'

// What boosting did: read from the files that each thread leaves, and as text.

const fs = require('node:fs')
const path = require('node:path')
const { columns } = require('./layout')
const { count, isNumber, percent, time, withheldShare } = require('./units')

/** @typedef {Record<string, any>} Json */

const WORTH_SAYING = 0.05
const FILE = /^boost-(?<process>\d+)-(?<thread>\d+)(?:\.(?<run>\d+))?\.json$/
const LEVELS = ['low', 'mid', 'high']

/**
 * @param {string} directory
 * @param {(warning: string) => void} [onStranger] hears of each file that is left out
 * @returns {Json[]} one a thread; `run` counts those of one process number and thread, from 0
 */
function readBoost (directory, onStranger = () => {}) {
  return fs.readdirSync(directory).sort().flatMap((name) => {
    const named = FILE.exec(name)?.groups
    if (!named) return []
    const read = parsed(path.join(directory, name))
    if (isBoost(read)) return [{ process: Number(named.process), thread: Number(named.thread), run: Number(named.run ?? 0), ...read }]
    onStranger(`${name} is left out: it is not what boosting writes, or was cut off`)
    return []
  }).sort((a, b) => a.process - b.process || a.thread - b.thread || a.run - b.run)
}

/** @param {string} file @returns {any} undefined: it cannot be read */
function parsed (file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {}
}

/** @param {any} read @returns {boolean} whether it has what is shown of it */
function isBoost (read) {
  if (read?.schema !== 1) return false
  const ofReasons = (/** @type {any} */ table, /** @type {string} */ key) =>
    table !== null && typeof table === 'object' && Object.values(table).every((one) => isNumber(one?.[key]))
  return ['policy', 'actuator', 'description'].every((key) => typeof read[key] === 'string') &&
    ['boosts', 'elapsed_ns'].every((key) => isNumber(read[key])) &&
    LEVELS.every((level) => isNumber(read.residency_ns?.[level])) &&
    ofReasons(read.reasons, 'boosted_ns') && ofReasons(read.reaction_ns, 'p99') &&
    isNumber(read.energy?.normalised) && isNumber(read.gc_counters?.ipc ?? 0)
}

/**
 * @param {{ boost?: Json[], tail?: Json }} report
 * @param {import('./layout').Style} style
 * @returns {string} '' when there was no boosting
 */
function boost ({ boost: threads, tail }, style) {
  if (!threads?.length) return ''
  const [{ policy, actuator, description }] = threads
  const rows = threads.map((one) => [
    nameOf(one),
    count(one.boosts),
    percent(boosted(one) / one.elapsed_ns),
    reasons(one),
    reaction(one),
    `${one.energy.normalised.toFixed(3)} ${one.energy.kind}`
  ])
  return [
    `boosting: ${policy} with ${actuator} (${description})`,
    columns(['<', 'boosts', 'time', '<of it', '<reaction p99', '<energy, low = 1'], rows, style),
    ...threads.flatMap(instructions),
    ...threads.flatMap(troubles),
    ...withheld(tail)
  ].join('\n')
}

/** @param {Json | undefined} tail @returns {string[]} what of it no frequency changes */
function withheld (tail) {
  const share = withheldShare(tail) ?? 0
  return share >= WORTH_SAYING ? [`  ${percent(share)} of the tail's latency its thread did not run: no frequency changes that, and no policy counts it as work.`] : []
}

/** @param {Json} one */
function nameOf ({ process, thread, run }) {
  return `process ${process}, thread ${thread}${run > 0 ? `, run ${run + 1}` : ''}`
}

/** @param {Json} one @returns {number} ns above the low level */
function boosted ({ residency_ns: residency }) {
  return LEVELS.slice(1).reduce((sum, level) => sum + residency[level], 0)
}

/** @param {Json} one */
function reasons ({ reasons }) {
  return Object.entries(reasons).map(([name, { boosted_ns: ns }]) => `${name} ${time(ns)}`).join(', ')
}

/** @param {Json} one */
function reaction ({ reaction_ns: reactions }) {
  return Object.entries(reactions).map(([name, { p99 }]) => `${name} ${time(p99)}`).join(', ')
}

/** @param {Json} one */
function instructions ({ gc_counters: counters, ...one }) {
  return counters?.ipc ? [`${nameOf(one)}: ${counters.ipc.toFixed(2)} instructions a cycle in ${count(counters.collections)} collections`] : []
}

/** @param {Json} one */
function troubles ({ process, set_errors: errors, last_error: last, dropped_signals: dropped }) {
  return [
    ...errors ? [`! process ${process}: the frequency could not be changed ${count(errors)} times: ${last}`] : [],
    ...dropped ? [`! process ${process}: ${count(dropped)} signals dropped`] : []
  ]
}

module.exports = { LEVELS, boost, readBoost }
