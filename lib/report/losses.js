'use strict'

// What the report does not know. Nothing is lost silently: whatever is not zero
// is shown before any table.

const { count, counted, size } = require('./units')

/** @typedef {Record<string, any>} Json */

const MOST_PROBLEMS = 10

/**
 * @param {Json} report
 * @returns {string[]} one line each
 */
function losses (report) {
  const { requests = {}, events = {}, problems = [], warnings = [], unended_threads: unended, recording_threads: recording, unrecorded_threads: unrecorded } = report
  return [
    ...said(unrecorded, (n) => `${counted(n, 'thread')} not recorded at all: EDGEWISE_MAX_MB was reached when they began`),
    ...said(unended, (n) => `${counted(n, 'thread')} ended without a word (killed, or crashed): what it did in the last 100 ms may be missing`.replace('it did', n === 1 ? 'it did' : 'they did')),
    ...said(recording, (n) => `${counted(n, 'thread')} still recording: what came in the last 100 ms may be missing`),
    ...said(events.dropped, (n) => `${counted(n, 'record')} dropped because a buffer was full (EDGEWISE_RING_RECORDS): requests around them are incomplete`),
    ...said(events.lost_bytes, (n) => `${size(n)} of events could not be written (disk full, or EDGEWISE_MAX_MB reached)`),
    ...said(requests.lost, (n) => `${counted(n, 'request')} lost: recorded in part only, not in the numbers below`),
    ...said(requests.unfinished, (n) => `${counted(n, 'request')} unfinished when the recording ended, not in the numbers below`),
    ...said(requests.aborted, (n) => `${counted(n, 'request')} aborted by the client, not in the numbers below`),
    ...said(requests.left_out, (n) => `${counted(n, 'request')} of other routes left out (--exclude-route)`),
    ...said(requests.streams, (n) => `${counted(n, 'request')} left out that wait by design: event streams, long polls (--event-streams counts them)`),
    ...said(requests.skipped, (n) => `${counted(n, 'request')} of the first seconds left out (--skip)`),
    ...said(requests.failed, (n) => `${counted(n, 'request')} failed: the function given to edgewise.request() threw`),
    ...limited(problems.map(problem)),
    ...warnings.map(String)
  ]
}

/**
 * @param {number | undefined} value
 * @param {(value: number) => string} text
 */
function said (value, text) {
  return value ? [text(value)] : []
}

/** @param {Json} problem */
function problem ({ file, offset, what, bytes }) {
  return `${file} at byte ${count(offset)}: ${what}${bytes ? ` (${size(bytes)} skipped)` : ''}`
}

/** @param {string[]} lines */
function limited (lines) {
  const left = lines.length - MOST_PROBLEMS
  return left > 0 ? [...lines.slice(0, MOST_PROBLEMS), `and ${count(left)} more problems: --json lists all`] : lines
}

module.exports = { losses }
