'use strict'

const { html } = require('../kit/html')
const { duration } = require('../kit/scales')
const { Sortable } = require('./sortable')

/**
 * @param {object} props
 * @param {import('../sources/held').Shown['list']} props.list
 * @param {number | undefined} props.open the key of the request that is told step by step
 * @param {string} props.sought
 * @param {(key: number) => void} props.onOpen
 */
function RequestTable ({ list: { requests: { head, of, blocks }, rows, hasPath, keyOf }, open, sought, onOpen }) {
  const blocker = (/** @type {number} */ row) => blocks.begins[row + 1] > blocks.begins[row] ? head.blockers[blocks.of.blocker[blocks.begins[row]]].what : ''
  const name = (/** @type {number} */ row) => hasPath(row) ? html`<button onClick=${() => onOpen(keyOf(row))} aria-pressed=${keyOf(row) === open}>${of.id[row]}</button>` : of.id[row]
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
  return html`<${Sortable} class="requests" caption="The slowest of the selection. Those with a button are told step by step." columns=${columns} rows=${rows} sought=${sought} marked=${(/** @type {number} */ row) => keyOf(row) === open} />`
}

module.exports = { RequestTable }
