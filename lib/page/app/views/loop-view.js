'use strict'

// What ran on the loops, and how many requests waited meanwhile.

const { useEffect, useMemo, useRef, useState } = require('preact/hooks')
const { html } = require('../kit/html')
const { useWidth } = require('../kit/width')
const { colourOf } = require('../kit/colours')
const { duration, linear, ticks } = require('../kit/scales')
const { sliceAt, slicesWithin } = require('../data/lanes')
const { threadText } = require('../data/requests')
const { LANE, drawLoops } = require('./loop-drawing')

const LISTED = 20
const OFF = ['', 'preempted', 'stopped by its CPU quota', 'waiting for a page', 'blocked in the kernel']

/**
 * @param {object} props
 * @param {Record<string, any>} props.head
 * @param {import('../data/lanes').Lane[]} props.lanes
 * @param {{ from: number, to: number }} props.window ns
 * @param {import('../data/paths').Step[]} props.steps of the request that is shown, if any
 * @param {number | undefined} props.thread that it ran on
 * @param {string} props.without what is said of a stretch of time of which nothing is known
 * @param {(window: { from: number, to: number }) => void} props.onWindow
 */
function Loops ({ head, lanes, window, steps, thread, without, onWindow }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null))
  const [frame, width] = useWidth()
  const [pointed, setPointed] = useState('')
  const drag = useRef(/** @type {{ x: number, window: { from: number, to: number } } | null} */ (null))
  const ranks = useMemo(() => new Map(head.routes.map((/** @type {string} */ route, /** @type {number} */ i) => [route, i])), [head])
  const shown = lanes.filter(({ windows }) => windows.some(({ from, to }) => from < window.to && to > window.from))
  const time = linear(window.from, window.to, 0, width)
  const height = Math.max(1, shown.length) * LANE
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context) drawLoops(context, { lanes: shown, window, time, steps, thread, colour: (blocker) => colourOf(head.blockers[blocker], ranks), isGc: (blocker) => head.blockers[blocker].kind === 'gc' })
  })
  const zoom = (/** @type {number} */ by, /** @type {number} */ at) => {
    const middle = time.from(at)
    onWindow(within({ from: middle - (middle - window.from) * by, to: middle + (window.to - middle) * by }, head.span_ns))
  }
  const point = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect()
    if (drag.current) {
      const moved = (event.clientX - drag.current.x) / width * (drag.current.window.to - drag.current.window.from)
      return onWindow(within({ from: drag.current.window.from - moved, to: drag.current.window.to - moved }, head.span_ns))
    }
    const lane = shown[Math.floor((event.clientY - box.top) / LANE)]
    const slice = lane && sliceAt(lane, time.from(event.clientX - box.left))
    setPointed(slice ? told(head, slice) : '')
  }
  const wheel = (/** @type {WheelEvent} */ event) => {
    if (!event.ctrlKey && Math.abs(event.deltaX) < Math.abs(event.deltaY) && !event.shiftKey) return
    event.preventDefault()
    if (event.ctrlKey) return zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX)
    const moved = (event.deltaX || event.deltaY) / width * (window.to - window.from)
    onWindow(within({ from: window.from + moved, to: window.to + moved }, head.span_ns))
  }
  return html`
    <div ref=${frame}>
      <p class="help">${duration(window.from)} to ${duration(window.to)}. Drag or A and D move, W and S or Ctrl and the wheel zoom.
        Each loop has a lane: what ran, collections below, then how many requests were ready and waited. Hatched: the loop's thread did not run.</p>
      <div class="loops" style=${{ height: `${height}px` }} onPointerMove=${point} onPointerLeave=${() => setPointed('')} onWheel=${wheel}
        onPointerDown=${(/** @type {PointerEvent} */ event) => { /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId); drag.current = { x: event.clientX, window } }}
        onPointerUp=${() => { drag.current = null }} onPointerCancel=${() => { drag.current = null }}>
        <canvas ref=${canvas} width=${width} height=${height} role="img" aria-label="What ran on the loops. The table below says the same."></canvas>
        ${shown.map(({ thread }, i) => html`<span class="lane" style=${{ top: `${i * LANE}px` }}>${threadText(head.threads[thread])}</span>`)}
      </div>
      <div class="axis time" aria-hidden="true" style=${{ width: `${width}px` }}>${ticks(window.from, window.to, width / 110).map((ns) => html`<span style=${{ left: `${time.to(ns)}px` }}>${duration(ns)}</span>`)}</div>
      <p class="pointed" aria-live="off">${pointed || ((shown.length === 0 && without) || '\u00a0')}</p>
      <${Slices} head=${head} lanes=${shown} window=${window} />
    </div>`
}

/** @param {Record<string, any>} head @param {import('../data/lanes').Lane['slices'][0]} slice */
function told (head, { blocker, begin, end, off, count, busy }) {
  const time = count > 1 ? `${duration(busy)} of the ${duration(end - begin)}` : duration(end - begin)
  return `${nameOf(head, { blocker, count })}: ${time} from ${duration(begin)}${off > 0 ? `, the thread was ${OFF[off]}` : ''}`
}

const nameOf = (/** @type {Record<string, any>} */ head, /** @type {{ blocker: number, count: number }} */ { blocker, count }) =>
  count > 1 ? `${count} slices, mostly ${head.blockers[blocker].what}` : head.blockers[blocker].what

/** No window ends before it begins, or is out of the recording. @param {{ from: number, to: number }} window @param {number} span */
function within ({ from, to }, span) {
  const length = Math.min(span, Math.max(1000, to - from))
  const begin = Math.min(Math.max(0, from), Math.max(0, span - length))
  return { from: Math.round(begin), to: Math.round(begin + length) }
}

function Slices ({ head, lanes, window }) {
  const longest = lanes.flatMap((lane) => slicesWithin(lane, window.from, window.to).map((slice) => ({ ...slice, thread: lane.thread })))
    .sort((a, b) => b.busy - a.busy).slice(0, LISTED)
  return html`
    <details>
      <summary>The longest that ran here, as a table</summary>
      <table>
        <thead><tr><th scope="col">What ran</th><th scope="col">From</th><th scope="col">For</th><th scope="col">Thread</th></tr></thead>
        <tbody>${longest.map(({ begin, blocker, off, thread, count, busy }) => html`
          <tr><th scope="row">${nameOf(head, { blocker, count })}${off > 0 ? ` (${OFF[off]})` : ''}</th><td>${duration(begin)}</td><td>${duration(busy)}</td><td>${threadText(head.threads[thread])}</td></tr>`)}</tbody>
      </table>
    </details>`
}

module.exports = { Loops, within }
