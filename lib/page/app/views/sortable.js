'use strict'

const { useState } = require('preact/hooks')
const { html } = require('../kit/html')

/**
 * A table that a click on a column's name sorts.
 * @template Row
 * @param {object} props
 * @param {string} props.caption
 * @param {{ name: string, of: (row: Row) => string | number, cell?: (row: Row) => any }[]} props.columns the first names the row
 * @param {Row[]} props.rows
 * @param {string} [props.class]
 * @param {string} [props.sought] only rows whose texts hold it; lower case
 * @param {(row: Row) => boolean} [props.marked]
 */
function Sortable ({ caption, columns, rows, class: name = '', sought = '', marked = () => false }) {
  const [order, setOrder] = useState(/** @type {{ column: number, down: boolean } | null} */ (null))
  const kept = rows.filter((row) => sought === '' || columns.some(({ of }) => { const value = of(row); return typeof value === 'string' && value.toLowerCase().includes(sought) }))
  const sorted = order ? kept.sort((a, b) => compare(columns[order.column].of(a), columns[order.column].of(b)) * (order.down ? -1 : 1)) : kept
  const next = (/** @type {number} */ column) => setOrder(order?.column === column ? { column, down: !order.down } : { column, down: typeof rows[0] === 'undefined' || typeof columns[column].of(rows[0]) === 'number' })
  return html`
    <table class=${name}>
      <caption>${caption}</caption>
      <thead><tr>${columns.map((column, i) => html`
        <th scope="col" aria-sort=${order?.column === i ? (order.down ? 'descending' : 'ascending') : 'none'}><button onClick=${() => next(i)}>${column.name}</button></th>`)}</tr></thead>
      <tbody>${sorted.map((row) => html`
        <tr class=${marked(row) ? 'open' : ''}>${columns.map(({ of, cell = of }, i) => i === 0 ? html`<th scope="row">${cell(row)}</th>` : html`<td>${cell(row)}</td>`)}</tr>`)}</tbody>
    </table>`
}

/** @param {string | number} a @param {string | number} b */
const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))

module.exports = { Sortable }
