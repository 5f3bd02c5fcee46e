'use strict'

// What boosting did: read from the files that each thread leaves, and as text.

const fs = require('node:fs')
const path = require('node:path')
const { columns } = require('./layout')
const { count, percent, time } = require('./units')

/** @typedef {Record<string, any>} Json */

const FILE = /^boost-\d+-\d+\.json$/
const LEVELS = ['low', 'mid', 'high']

/**
 * @param {string} directory
 * @returns {Json[]} one a thread, by file name; what cannot be read is left out
 */
function readBoost (directory) {
  return fs.readdirSync(directory).filter((name) => FILE.test(name)).sort().flatMap((name) => {
    try {
      const [, pid, thread] = name.split(/[-.]/)
      return [{ process: Number(pid), thread: Number(thread), ...JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8')) }]
    } catch {
      return [] // Cut off while it was written.
    }
  })
}

/**
 * @param {Json[] | undefined} threads
 * @param {import('./layout').Style} style
 * @returns {string} '' when there was no boosting
 */
function boost (threads, style) {
  if (!threads?.length) return ''
  const [{ policy, actuator, description }] = threads
  const rows = threads.map((one) => [
    `process ${one.process}, thread ${one.thread}`,
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
    ...threads.flatMap(troubles)
  ].join('\n')
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
function instructions ({ process, thread, gc_counters: counters }) {
  return counters?.ipc ? [`process ${process}, thread ${thread}: ${counters.ipc.toFixed(2)} instructions a cycle in ${count(counters.collections)} collections`] : []
}

/** @param {Json} one */
function troubles ({ process, set_errors: errors, last_error: last, dropped_signals: dropped }) {
  return [
    ...errors ? [`! process ${process}: the frequency could not be changed ${count(errors)} times: ${last}`] : [],
    ...dropped ? [`! process ${process}: ${count(dropped)} signals dropped`] : []
  ]
}

module.exports = { LEVELS, boost, readBoost }
