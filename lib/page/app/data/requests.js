'use strict'

// The requests of a page, and those of them that a person has chosen.

const { beginsOf } = require('./columns')

/**
 * Rows of requests; a row of many holds their sums.
 * @typedef {object} Requests
 * @property {Record<string, any>} head
 * @property {Record<string, Float64Array>} of columns of the requests
 * @property {number} rows
 * @property {Float64Array} mean latency of a request of each row, ns
 * @property {Listed} blocks
 * @property {Listed} waits
 * @property {Listed} frames
 */

/** Another table: each request has some rows of it, from `begins` of its own row to that of the next. @typedef {{ of: Record<string, Float64Array>, begins: Float64Array }} Listed */

/** @param {import('./columns').Columns} columns @returns {Requests} */
function requestsOf ({ head, tables }) {
  const { requests } = tables
  const { io, queue, exec, count } = requests
  const latency = exec.map((ns, row) => ns + io[row] + queue[row])
  const frames = { ...tables.frames, ns: tables.frames.us.map((us) => US * us) }
  return {
    head,
    of: { ...requests, start: requests.start.map((us) => US * us), latency },
    rows: latency.length,
    mean: latency.map((ns, row) => ns / count[row]),
    blocks: causesOf(tables.blocks, beginsOf(requests.blocks), queue),
    waits: causesOf(tables.waits, beginsOf(requests.waits), io),
    frames: { of: frames, begins: beginsOf(requests.frames) }
  }
}

/** A row's first cause has what its sum leaves for it. @param {import('./columns').Table} table @param {Float64Array} begins @param {Float64Array} sums @returns {Listed} */
function causesOf (table, begins, sums) {
  const ns = table.us.map((us, i) => US * us + table.ns[i])
  for (let row = 0; row < sums.length; row++) {
    if (begins[row] === begins[row + 1]) continue
    let left = sums[row]
    for (let i = begins[row] + 1; i < begins[row + 1]; i++) left -= ns[i]
    ns[begins[row]] = left
  }
  return { of: { ...table, ns }, begins }
}

/** @param {Listed} listed @param {number} row of a request @param {(i: number) => void} visit its rows */
function eachOf ({ begins }, row, visit) {
  for (let i = begins[row]; i < begins[row + 1]; i++) visit(i)
}

/**
 * A stretch of time and of latency; undefined: no limit.
 * @typedef {{ from?: number, to?: number, least?: number, most?: number, route?: number, tail?: boolean }} Selection ns; `route`: of this one only; `tail`: the report's tail
 */

/** ns */
const US = 1000

/** What a row is in a selection. */
const MARK = /** @type {const} */ ({ rest: 0, selected: 1, none: 2 })

/** @param {Requests} requests @param {Selection} selection @returns {Uint8Array} a MARK for each row; none: of another route */
function chosen ({ of, rows, mean }, { from = 0, to = Infinity, least = 0, most = Infinity, route, tail = false }) {
  const marks = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    if (route !== undefined && of.route[row] !== route) marks[row] = MARK.none
    else if (tail ? of.tail[row] === 1 : of.start[row] >= from && of.start[row] < to && mean[row] >= least && mean[row] <= most) marks[row] = MARK.selected
  }
  return marks
}

/** @param {Requests} requests @param {Uint8Array} marks @param {number} most @returns {number[]} rows of the slowest that are selected, slowest first; each is of one request */
function slowestOf ({ of, rows }, marks, most) {
  /** @type {number[]} */
  let found = []
  let bar = 0
  const cut = () => {
    found = found.sort((a, b) => of.latency[b] - of.latency[a] || a - b).slice(0, most)
    if (found.length === most) bar = of.latency[found[most - 1]]
  }
  for (let row = 0; row < rows; row++) {
    if (marks[row] !== MARK.selected || of.count[row] !== 1 || of.latency[row] < bar) continue
    found.push(row)
    if (found.length >= 8 * most) cut()
  }
  cut()
  return found
}

/** @param {{ process: number, thread: number, identity?: string }} thread */
function threadText ({ process, thread, identity }) {
  const name = identity ? `process ${process} (${identity})` : `process ${process}`
  return thread === 0 ? name : `${name}, thread ${thread}`
}

module.exports = { MARK, chosen, eachOf, requestsOf, slowestOf, threadText }
