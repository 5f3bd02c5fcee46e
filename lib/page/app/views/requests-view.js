'use strict'

const { html } = require('../kit/html')
const { duration } = require('../kit/scales')
const { Sortable } = require('./sortable')

/**
 * @param {object} props
 * @param {import('../data/requests').Requests} props.requests
 * @param {number[]} props.rows
 * @param {Map<number, any>} props.paths the critical paths that are here
 * @param {number | undefined} props.open
 * @param {string} props.sought
 * @param {(row: number) => void} props.onOpen
 */
function RequestTable ({ requests: { head, of, blocks }, rows, paths, open, sought, onOpen }) {
  const blocker = (/** @type {number} */ row) => blocks.begins[row + 1] > blocks.begins[row] ? head.blockers[blocks.of.blocker[blocks.begins[row]]].what : ''
  const name = (/** @type {number} */ row) => paths.has(row) ? html`<button onClick=${() => onOpen(row)} aria-pressed=${row === open}>${of.id[row]}</button>` : of.id[row]
  const columns = [
    { name: 'Request', of: (/** @type {number} */ row) => of.id[row], cell: name },
    { name: 'Route', of: (/** @type {number} */ row) => head.routes[of.route[row]] },
    { name: 'Status', of: (/** @type {number} */ row) => of.status[row] || '' },
    ...[
      { name: 'Came at', of: (/** @type {number} */ row) => of.start[row] },
      { name: 'Latency', of: (/** @type {number} */ row) => of.latency[row] },
      { name: 'Waited', of: (/** @type {number} */ row) => of.io[row] },
      { name: 'Queued', of: (/** @type {number} */ row) => of.queue[row] },
      { name: 'Ran', of: (/** @type {number} */ row) => of.latency[row] - of.io[row] - of.queue[row] }
    ].map((column) => ({ ...column, cell: (/** @type {number} */ row) => duration(column.of(row)) })),
    { name: 'Most behind', of: blocker }
  ]
  return html`<${Sortable} class="requests" caption="The slowest of the selection. Those with a button are told step by step." columns=${columns} rows=${rows} sought=${sought} marked=${(/** @type {number} */ row) => row === open} />`
}

module.exports = { RequestTable }
