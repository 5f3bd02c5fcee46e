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
    { name: 'connection', of: per('connection'), text: (use) => ['not known', 'kept', 'new'][use] },
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

/** @typedef {{ name: string, codes: Int32Array, texts: string[] }} Coded the number of each row's value, and their texts */
/** @type {WeakMap<Requests, Coded[]>} */
const coded = new WeakMap()

/** @param {Requests} requests @returns {Coded[]} counted many times, read once */
function codesOf (requests) {
  const known = coded.get(requests)
  if (known) return known
  const all = attributesOf(requests).map(({ name, of, text }) => {
    /** @type {Map<number, number>} */
    const numbers = new Map()
    const texts = []
    const codes = new Int32Array(requests.rows)
    for (let row = 0; row < requests.rows; row++) {
      const value = of(row)
      let code = numbers.get(value)
      if (code === undefined) {
        numbers.set(value, code = texts.length)
        texts.push(text(value))
      }
      codes[row] = code
    }
    return { name, codes, texts }
  })
  coded.set(requests, all)
  return all
}

/**
 * The values that are more or less frequent among the selected requests: each
 * group is 100 % by itself, however large the other is.
 * @param {Requests} requests
 * @param {Uint8Array} marks
 * @returns {Difference[]} the largest difference first
 */
function differencesOf (requests, marks) {
  const { of: { count }, rows } = requests
  const totals = [0, 0]
  for (let row = 0; row < rows; row++) if (marks[row] !== MARK.none) totals[marks[row]] += count[row]
  if (totals[MARK.selected] === 0 || totals[MARK.rest] === 0) return []
  return codesOf(requests).flatMap(({ name, codes, texts }) => {
    const sums = new Float64Array(2 * texts.length)
    for (let row = 0; row < rows; row++) if (marks[row] !== MARK.none) sums[2 * codes[row] + marks[row]] += count[row]
    const found = texts.map((value, code) => ({ attribute: name, value, selected: sums[2 * code + MARK.selected] / totals[MARK.selected], rest: sums[2 * code + MARK.rest] / totals[MARK.rest] }))
      .filter(({ selected, rest }) => selected > 0 || rest > 0)
    return found.length < 2 ? [] : found
  }).sort((a, b) => Math.abs(b.selected - b.rest) - Math.abs(a.selected - a.rest) || b.selected - a.selected)
}

/** @param {Requests} requests @param {{ attribute: string, value: string }} chosen @returns {Uint8Array} 1: the row has that value */
function rowsWith (requests, { attribute, value }) {
  const marks = new Uint8Array(requests.rows)
  const found = codesOf(requests).find(({ name }) => name === attribute)
  const code = found ? found.texts.indexOf(value) : -1
  for (let row = 0; row < requests.rows; row++) if (found?.codes[row] === code) marks[row] = 1
  return marks
}

module.exports = { differencesOf, rowsWith }
