'use strict'

// Which attributes of requests are more or less frequent in a selection.

const { MARK, threadText } = require('./requests')

/** @typedef {import('./requests').Requests} Requests */
/** @typedef {{ attribute: string, value: string, selected: number, rest: number }} Difference shares, 0 to 1, each of its own group */

/**
 * Names of attributes, and each row's value: a number, and its text.
 * @param {Requests} requests
 * @returns {{ name: string, of: (row: number) => number, text: (value: number) => string }[]}
 */
function attributesOf (requests) {
  const { head, of } = requests
  const per = (/** @type {string} */ name) => (/** @type {number} */ row) => of[name][row]
  return [
    { name: 'route', of: per('route'), text: (route) => head.routes[route] },
    { name: 'status', of: per('status'), text: (status) => status === 0 ? 'none' : String(status) },
    { name: 'outcome', of: per('outcome'), text: (outcome) => head.outcomes[outcome] },
    { name: 'protocol', of: per('kind'), text: (kind) => head.request_kinds[kind] },
    { name: 'waited most for', of: firstOf(requests.waits, 'dependency'), text: (i) => i < 0 ? 'nothing' : head.dependencies[i].what },
    { name: 'queued most behind', of: firstOf(requests.blocks, 'blocker'), text: (i) => i < 0 ? 'nothing' : head.blockers[i].what },
    { name: 'waiting when it came', of: (row) => powerOf(of.waiting[row] / of.count[row]), text: waitingText },
    { name: 'a collection within', of: (row) => Number(of.exec_gc[row] + of.queue_gc[row] > 0), text: (any) => any ? 'yes' : 'no' },
    { name: 'thread', of: per('thread'), text: (thread) => threadText(head.threads[thread]) },
    ...head.span_ns > 60e9 ? [{ name: 'minute', of: (/** @type {number} */ row) => Math.floor(of.start[row] / 60e9), text: (/** @type {number} */ minute) => `${minute + 1}` }] : []
  ]
}

/** The largest is a row's first; -1: it has none. @param {import('./requests').Listed} listed @param {string} what */
function firstOf ({ of, begins }, what) {
  return (/** @type {number} */ row) => begins[row + 1] > begins[row] ? of[what][begins[row]] : -1
}

/** 0, 1, 2, 3, then powers of two. @param {number} waiting */
const powerOf = (waiting) => waiting < 4 ? Math.round(waiting) : 2 ** Math.floor(Math.log2(waiting))

/** @param {number} power */
const waitingText = (power) => power < 4 ? String(power) : `${power} to ${2 * power - 1}`

/**
 * The values that are more or less frequent among the selected requests: each
 * group is 100 % by itself, however large the other is.
 * @param {Requests} requests
 * @param {Uint8Array} marks
 * @returns {Difference[]} the largest difference first
 */
function differencesOf (requests, marks) {
  const { of, rows } = requests
  const totals = [0, 0]
  for (let row = 0; row < rows; row++) if (marks[row] !== MARK.none) totals[marks[row]] += of.count[row]
  if (totals[MARK.selected] === 0 || totals[MARK.rest] === 0) return []
  return attributesOf(requests).flatMap(({ name, of: valueOf, text }) => {
    /** @type {Map<number, number[]>} */
    const counts = new Map()
    for (let row = 0; row < rows; row++) {
      if (marks[row] === MARK.none) continue
      const value = valueOf(row)
      let pair = counts.get(value)
      if (!pair) counts.set(value, pair = [0, 0])
      pair[marks[row]] += of.count[row]
    }
    if (counts.size < 2) return []
    return [...counts].map(([value, pair]) => ({ attribute: name, value: text(value), selected: pair[MARK.selected] / totals[MARK.selected], rest: pair[MARK.rest] / totals[MARK.rest] }))
  }).sort((a, b) => Math.abs(b.selected - b.rest) - Math.abs(a.selected - a.rest) || b.selected - a.selected)
}

/** @param {Requests} requests @param {{ attribute: string, value: string }} chosen @returns {Uint8Array} 1: the row has that value */
function rowsWith (requests, { attribute, value }) {
  const marks = new Uint8Array(requests.rows)
  const found = attributesOf(requests).find(({ name }) => name === attribute)
  for (let row = 0; row < requests.rows; row++) if (found && found.text(found.of(row)) === value) marks[row] = 1
  return marks
}

module.exports = { differencesOf, rowsWith }
