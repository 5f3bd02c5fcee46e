'use strict'

// What a person has chosen, and what the page says of it.

const { useEffect, useMemo, useState } = require('preact/hooks')
const { html } = require('./kit/html')
const { hashOf, viewOf } = require('./kit/link')
const { duration } = require('./kit/scales')
const { onKey } = require('./keys')
const { differencesOf, rowsWith } = require('./data/differences')
const { partsOf } = require('./data/parts')
const { chosen, requestsOf } = require('./data/requests')
const { treeOf } = require('./data/tree')
const { Compare, Differences } = require('./views/compare-view')
const { Flame } = require('./views/flame-view')
const { HeatMap } = require('./views/heat-view')
const { Help } = require('./views/help')
const { Loops, within } = require('./views/loop-view')
const { RequestTable } = require('./views/requests-view')
const { Tables } = require('./views/tables-view')
const { Top } = require('./views/top')
const { Waterfall } = require('./views/waterfall')

const LISTED = 20

/** @param {{ columns: import('./data/columns').Columns, told: Record<string, any>, useSource: import('./sources/held').Source }} props */
function Page ({ columns, told, useSource }) {
  const requests = useMemo(() => requestsOf(columns), [columns])
  const [view, go] = useView()
  const [light, setLight] = useState(/** @type {{ attribute: string, value: string } | null} */ (null))
  const [sought, setSought] = useState('')
  const [help, setHelp] = useState(false)
  const { request, window: given, ...selection } = view
  const whole = [selection.from, selection.to, selection.least, selection.most].every((limit) => limit === undefined)
  const shown = whole ? { ...selection, tail: true } : selection
  const key = `${hashOf(shown)} ${whole}`
  const marks = useMemo(() => chosen(requests, shown), [requests, key])
  const compared = useMemo(() => partsOf(requests, marks), [marks])
  const differences = useMemo(() => differencesOf(requests, marks), [marks])
  const tree = useMemo(() => treeOf(requests, marks, told.frames), [marks])
  const lit = useMemo(() => light && rowsWith(requests, light), [requests, light])
  const { list, open: opened, useLanes, without, trouble } = useSource({ columns, requests, marks, selection: shown, request, most: LISTED })
  const first = list.rows.find(list.hasPath)
  const window = given ?? windowOf(requests.head, opened ?? (first === undefined ? undefined : { requests: list.requests, row: first }))
  const lanes = useLanes(window)
  const select = (/** @type {import('./data/requests').Selection} */ next) => go({ ...next, route: view.route })
  const open = (/** @type {number} */ key) => go({ ...view, request: key, window: undefined })
  onKey({ view, go, open, window, within: (next) => within(next, requests.head.span_ns), told: list.rows.filter(list.hasPath).map(list.keyOf), onHelp: () => setHelp(true) })
  const name = nameOf(shown, whole, told)
  return html`
    <${Top} told=${told} limits=${[...trouble === undefined ? [] : [trouble], ...requests.head.limits ?? []]} sought=${sought} onSeek=${setSought} onHelp=${() => setHelp(true)} />
    ${help && html`<${Help} onClose=${() => setHelp(false)} />`}
    <main>
      <section aria-label="Latency over time">
        <h2>Latency over time</h2>
        <p class="help">Drag a box, a band or a strip; a click takes what is as slow and slower; Esc takes the tail, whose requests are dots.
          <${Routes} requests=${requests} chosen=${view.route} onChoose=${(/** @type {number | undefined} */ route) => go({ ...view, route })} /></p>
        <${HeatMap} requests=${requests} bins=${columns.tables.bins} marks=${marks} lit=${lit} selection=${whole ? { ...selection, least: told.threshold_ns } : selection} onSelect=${select} />
      </section>
      <section aria-label="Selection against rest">
        <h2>${name} against the rest</h2>
        <${Compare} compared=${compared} name=${name} />
        <${Differences} differences=${differences} onLight=${(/** @type {string | null} */ attribute, /** @type {string} */ value) => setLight(attribute === null ? null : { attribute, value })} />
      </section>
      <section aria-label="Where its time went"><h2>Where its time went</h2><${Flame} tree=${tree} sought=${sought.toLowerCase()} /></section>
      <section aria-label="Requests" aria-busy=${list.busy}>
        <${RequestTable} list=${list} open=${request} sought=${sought.toLowerCase()} onOpen=${open} />
        ${opened && html`<${Waterfall} ...${opened} />`}
      </section>
      ${lanes.length > 0 && html`<section aria-label="The loop"><h2>The loop</h2>
        <${Loops} head=${requests.head} lanes=${lanes} window=${window} steps=${opened?.steps ?? []} thread=${opened?.requests.of.thread[opened.row]} without=${without} onWindow=${(/** @type {any} */ next) => go({ ...view, window: next })} /></section>`}
      <section aria-label="Tables"><h2>All requests</h2><${Tables} told=${told} sought=${sought.toLowerCase()} /></section>
    </main>`
}

/** @returns {[import('./kit/link').View, (view: import('./kit/link').View) => void]} what the address says */
function useView () {
  const [view, setView] = useState(() => viewOf(location.hash))
  useEffect(() => {
    const heard = () => setView(viewOf(location.hash))
    addEventListener('hashchange', heard)
    return () => removeEventListener('hashchange', heard)
  }, [])
  return [view, (next) => {
    history.replaceState(null, '', hashOf(next))
    setView(next)
  }]
}

/** The time of a request, with some before and after. @param {Record<string, any>} head @param {{ requests: import('./data/requests').Requests, row: number } | undefined} request */
function windowOf (head, request) {
  const [held] = (head.windows ?? []).map((/** @type {any} */ one) => ({ from: one.from_ns, to: one.to_ns }))
  const whole = held ?? { from: 0, to: head.span_ns }
  const { from, to } = request ? timeOf(request) : whole
  const around = 0.1 * (to - from)
  return within({ from: from - around, to: to + around }, head.span_ns)
}

/** @param {{ requests: import('./data/requests').Requests, row: number }} request */
const timeOf = ({ requests: { of, mean }, row }) => ({ from: of.start[row], to: of.start[row] + mean[row] })

/** @param {import('./data/requests').Selection} shown @param {boolean} whole @param {Record<string, any>} told */
function nameOf ({ from, to, least, most }, whole, told) {
  if (whole) return `The p${told.percentile} tail`
  const time = from === undefined && to === undefined ? '' : ` from ${duration(from ?? 0)} to ${to === undefined ? 'the end' : duration(to)}`
  const latency = least === undefined && most === undefined ? '' : most === undefined ? ` of ${duration(Number(least))} and more` : ` of ${duration(least ?? 0)} to ${duration(most)}`
  return `Requests${latency}${time}`
}

/** @param {{ requests: import('./data/requests').Requests, chosen: number | undefined, onChoose: (route: number | undefined) => void }} props */
function Routes ({ requests: { head, of, rows }, chosen: now, onChoose }) {
  const routes = useMemo(() => {
    const counts = new Float64Array(head.routes.length)
    for (let row = 0; row < rows; row++) counts[of.route[row]] += of.count[row]
    return [...counts.keys()].filter((route) => counts[route] > 0).sort((a, b) => counts[b] - counts[a])
  }, [of])
  return html`
    <label>Route <select onChange=${(/** @type {any} */ event) => onChoose(event.target.value === '' ? undefined : Number(event.target.value))}>
      <option value="" selected=${now === undefined}>all</option>
      ${routes.map((route) => html`<option value=${route} selected=${now === route}>${head.routes[route]}</option>`)}
    </select></label>`
}

module.exports = { Page }
