'use strict'

const { html } = require('../kit/html')
const { duration, percent, signed } = require('../kit/scales')

const GROUPS = { io: 'waited for', queue: 'queued', exec: 'ran' }
const SHOWN = 12

/**
 * Means of a request of each group; the differences sum to that of the latency.
 * @param {{ compared: ReturnType<typeof import('../data/parts').partsOf>, name: string }} props
 */
function Compare ({ compared: { selected, rest, parts }, name }) {
  const mean = (/** @type {number} */ sum, /** @type {{ count: number }} */ { count }) => count === 0 ? 0 : sum / count
  const rows = parts.map((part) => ({ ...part, one: mean(part.selected, selected), other: mean(part.rest, rest) }))
  const most = Math.max(1, ...rows.map(({ one, other }) => Math.max(one, other)))
  const difference = mean(selected.latency, selected) - mean(rest.latency, rest)
  const line = (/** @type {any} */ { text, group, selected: sum, one, other }) => html`
    <tr class=${group}>
      <th scope="row"><span class="group">${GROUPS[/** @type {'io'} */ (group)]}</span> ${text}</th>
      <td class="bars" aria-hidden="true"><i class="one" style=${{ width: `${100 * one / most}%` }}></i><i class="other" style=${{ width: `${100 * other / most}%` }}></i></td>
      <td data-sum=${sum}>${duration(one)}</td><td>${duration(other)}</td><td class=${one > other ? 'more' : 'less'}>${signed(one - other)}</td>
    </tr>`
  return html`
    <table class="compare">
      <caption>${name} (${selected.count}) against the rest (${rest.count}): means of a request. The differences sum to that of the latency.</caption>
      <thead><tr><th scope="col">What it did</th><td></td><th scope="col">Selection</th><th scope="col">Rest</th><th scope="col">Difference</th></tr></thead>
      <tbody>${[...rows].sort((a, b) => Math.abs(b.one - b.other) - Math.abs(a.one - a.other)).map(line)}</tbody>
      <tfoot><tr><th scope="row">latency</th><td></td><td>${duration(mean(selected.latency, selected))}</td><td>${duration(mean(rest.latency, rest))}</td><td>${signed(difference)}</td></tr></tfoot>
    </table>`
}

/**
 * @param {object} props
 * @param {import('../data/differences').Difference[]} props.differences
 * @param {(attribute: string | null, value: string) => void} props.onLight
 */
function Differences ({ differences, onLight }) {
  return html`
    <table class="differences">
      <caption>What is different about them: shares of the requests of each group</caption>
      <thead><tr><th scope="col">Attribute</th><th scope="col">Value</th><td></td><th scope="col">Selection</th><th scope="col">Rest</th></tr></thead>
      <tbody>${differences.slice(0, SHOWN).map(({ attribute, value, selected, rest }) => html`
        <tr tabIndex="0" onMouseEnter=${() => onLight(attribute, value)} onMouseLeave=${() => onLight(null, '')} onFocus=${() => onLight(attribute, value)} onBlur=${() => onLight(null, '')}>
          <th scope="row">${attribute}</th><td>${value}</td>
          <td class="bars" aria-hidden="true"><i class="one" style=${{ width: `${100 * selected}%` }}></i><i class="other" style=${{ width: `${100 * rest}%` }}></i></td>
          <td>${percent(selected)}</td><td>${percent(rest)}</td>
        </tr>`)}</tbody>
    </table>`
}

module.exports = { Compare, Differences }
