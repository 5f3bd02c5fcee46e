'use strict'

const { html } = require('../kit/html')
const { duration } = require('../kit/scales')
const { threadText } = require('../data/requests')

/** Who blocked a step, at first. */
const NAMED = 3

/**
 * One request's critical path, step under step.
 * @param {object} props
 * @param {import('../data/requests').Requests} props.requests
 * @param {number} props.row
 * @param {import('../data/paths').Step[]} props.steps
 */
function Waterfall ({ requests: { head, of }, row, steps }) {
  const latency = Math.max(1, of.latency[row])
  const share = (/** @type {number} */ ns) => `${100 * ns / latency}%`
  let at = 0
  const lines = steps.map((step) => {
    const from = at
    at += step.io + step.queue + step.exec
    return { ...step, from }
  })
  return html`
    <section class="waterfall" aria-label="The request's critical path">
      <h2>Request ${of.id[row]}: ${head.routes[of.route[row]]}, ${duration(of.latency[row])} (${threadText(head.threads[of.thread[row]])})</h2>
      <p class="legend"><i class="io"></i> waited <i class="queue"></i> queued <i class="exec"></i> ran <i class="ready"></i> ready</p>
      <table>
        <thead><tr><th scope="col">Step</th><td></td><th scope="col">Waited</th><th scope="col">Queued</th><th scope="col">Ran</th></tr></thead>
        <tbody>${lines.map((line) => html`<${Line} ...${line} share=${share} />`)}</tbody>
      </table>
    </section>`
}

function Line ({ type, ready, dependency, inferred, io, queue, exec, gc, blocks, from, share }) {
  const bound = ready.endsWith('bound')
  return html`
    <tr>
      <th scope="row">${type}${inferred ? ' (its cause is inferred)' : ''}</th>
      <td class="track" aria-hidden="true">
        <i class="io" style=${{ left: share(from), width: share(io) }}></i>
        <i class="queue" style=${{ left: share(from + io), width: share(queue) }}></i>
        ${queue > 0 && html`<i class=${bound ? 'ready bound' : 'ready'} style=${{ left: share(from + io) }}></i>`}
        <i class="exec" style=${{ left: share(from + io + queue), width: share(exec) }}></i>
      </td>
      <td>${io > 0 ? `${duration(io)} ${dependency ?? ''}` : ''}</td>
      <td>${queue > 0 && html`${duration(queue)}${bound ? ` (ready: ${ready === 'upper-bound' ? 'then or before' : 'then or later'})` : ''} ${behind(blocks.slice(0, NAMED))}${blocks.length > NAMED && html`<details><summary>${blocks.length - NAMED} more</summary>${behind(blocks.slice(NAMED))}</details>`}`}</td>
      <td>${duration(exec)}${gc > 0 ? ` (${duration(gc)} garbage collection)` : ''}</td>
    </tr>`
}

/** @param {{ what: string, ns: number }[]} blocks */
const behind = (blocks) => blocks.map(({ what, ns }) => html`<span class="by">${duration(ns)} behind ${what}</span>`)

module.exports = { Waterfall }
