'use strict'

// The heat map without a pointer, and without eyes.

const { html } = require('../kit/html')
const { duration, linear, logarithmic } = require('../kit/scales')
const { cellsOf } = require('./heat')

const COLUMNS = 10
const ROWS = 8
const MS = 1e6

/**
 * @param {object} props
 * @param {import('../data/requests').Requests} props.requests
 * @param {Uint8Array} props.marks
 * @param {import('../data/requests').Selection} props.selection
 * @param {(selection: import('../data/requests').Selection) => void} props.onSelect
 */
function HeatTable ({ requests, marks, selection, onSelect }) {
  const set = (/** @type {'from' | 'to' | 'least' | 'most'} */ name) => (/** @type {any} */ event) =>
    onSelect({ ...selection, [name]: event.target.value === '' ? undefined : Number(event.target.value) * MS })
  const field = (/** @type {string} */ text, /** @type {'from' | 'to' | 'least' | 'most'} */ name) => html`
    <label>${text} <input type="number" min="0" step="any" value=${selection[name] === undefined ? '' : Number((Number(selection[name]) / MS).toPrecision(6))} onChange=${set(name)} /> ms</label> `
  return html`
    <details>
      <summary>Choose by numbers; the heat map as a table</summary>
      <p>${field('Came from', 'from')}${field('to', 'to')}${field('latency from', 'least')}${field('to', 'most')}</p>
      <${Counts} requests=${requests} marks=${marks} />
    </details>`
}

function Counts ({ requests, marks }) {
  const { head, mean, rows } = requests
  if (rows === 0) return html`<p>No request.</p>`
  const bottom = Math.max(1, mean.reduce((least, ns) => Math.min(least, ns), Infinity))
  const top = Math.max(bottom * 1.1, mean.reduce((most, ns) => Math.max(most, ns), 0))
  const time = linear(0, Math.max(1, head.span_ns), 0, COLUMNS)
  const latency = logarithmic(bottom, top, 0, ROWS)
  const { counts } = cellsOf(requests, marks, time, latency, COLUMNS, ROWS, null)
  return html`
    <table class="numbers">
      <caption>Requests by latency and by the time they came</caption>
      <thead><tr><th scope="col">Latency from</th>${[...Array(COLUMNS).keys()].map((column) => html`<th scope="col">${duration(time.from(column))}</th>`)}</tr></thead>
      <tbody>${[...Array(ROWS).keys()].reverse().map((row) => html`
        <tr><th scope="row">${duration(latency.from(row))}</th>${[...Array(COLUMNS).keys()].map((column) => html`<td>${counts[column * ROWS + row]}</td>`)}</tr>`)}</tbody>
    </table>`
}

module.exports = { HeatTable }
