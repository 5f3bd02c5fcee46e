'use strict'

// The tables of the report in the terminal: of all requests, whatever is chosen.

const { html } = require('../kit/html')
const { duration, percent } = require('../kit/scales')
const { Sortable } = require('./sortable')

/** @typedef {{ name: string, of: (row: any) => string | number, cell?: (row: any) => any }} Column */

/** @param {string} name @param {(row: any) => number} of @returns {Column} */
const time = (name, of) => ({ name, of, cell: (row) => duration(of(row)) })
/** @param {string} name @param {(row: any) => number} of @returns {Column} */
const share = (name, of) => ({ name, of, cell: (row) => percent(of(row)) })
/** @param {string} name @param {(row: any) => string | number} of @returns {Column} */
const plain = (name, of) => ({ name, of })

/** @param {{ told: Record<string, any>, sought: string }} props */
function Tables ({ told: { routes, dependencies, blockers, functions, tail }, sought }) {
  return html`
    <${Sortable} caption="Routes: latencies" sought=${sought} rows=${routes} columns=${[
      plain('Route', ({ route }) => route), plain('Requests', ({ count }) => count),
      ...['p50', 'p90', 'p99', 'p99.9', 'max'].map((name) => time(name, ({ latency_ns: ns }) => ns[name]))]} />
    <${Sortable} caption=${`What the tail waited for, summed over its ${tail.count} requests`} sought=${sought} rows=${dependencies} columns=${[
      plain('Dependency', ({ what }) => what), time('Waited', ({ io_ns: ns }) => ns), share('Of all', ({ share: of }) => of), plain('Requests', ({ requests }) => requests)]} />
    <${Sortable} caption="Behind what the tail queued" sought=${sought} rows=${blockers} columns=${[
      plain('Blocker', ({ what }) => what), time('Queued', ({ queue_ns: ns }) => ns), share('Of all', ({ share: of }) => of), plain('Requests', ({ requests }) => requests)]} />
    ${functions.length > 0 && html`<${Sortable} caption="Functions that the tail queued behind, and that it ran, as far as they were sampled" sought=${sought} rows=${functions} columns=${[
      plain('Function', ({ name }) => name), plain('Where', ({ where }) => where), plain('In', ({ what }) => what), time('Queued behind', ({ wait }) => wait), time('Ran', ({ exec }) => exec)]} />`}`
}

module.exports = { Tables }
