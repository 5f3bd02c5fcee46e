'use strict'

const { useEffect, useMemo, useRef, useState } = require('preact/hooks')
const { html } = require('../kit/html')
const { useWidth } = require('../kit/width')
const { duration, linear, logarithmic, logTicks, ticks } = require('../kit/scales')
const { boxOf, selectedBy, selectionBox } = require('../kit/boxes')
const { MARK } = require('../data/requests')
const { cellsOf, paint } = require('./heat')
const { HeatTable } = require('./heat-table')
const { Marks } = require('./marks-view')

const CELL = 4
const HEIGHT = 240
const LEFT = 64
/** Beyond so many, dots say nothing that cells do not. */
const DOTS = 5000

/**
 * @param {object} props
 * @param {import('../data/requests').Requests} props.requests
 * @param {import('../data/columns').Table | undefined} props.bins
 * @param {Uint8Array} props.marks
 * @param {Uint8Array | null} props.lit
 * @param {import('../data/requests').Selection} props.selection
 * @param {(selection: import('../data/requests').Selection) => void} props.onSelect
 */
function HeatMap ({ requests, bins, marks, lit, selection, onSelect }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null))
  const [frame, wide] = useWidth()
  const width = Math.max(200, wide - LEFT)
  const [drag, setDrag] = useState(/** @type {import('../kit/boxes').Drag | null} */ (null))
  const { time, latency } = useMemo(() => scalesOf(requests, width), [requests, width])
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context) draw(context, { requests, marks, lit, width, time, latency })
  }, [requests, marks, lit, width])
  const place = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect()
    return { x: Math.min(width, Math.max(0, event.clientX - box.left)), y: Math.min(HEIGHT, Math.max(0, event.clientY - box.top)) }
  }
  const begin = (/** @type {PointerEvent} */ event) => {
    const { x, y } = place(event)
    const plot = /** @type {HTMLElement} */ (event.currentTarget)
    plot.setPointerCapture(event.pointerId)
    setDrag({ x, y, toX: x, toY: y })
  }
  const move = (/** @type {PointerEvent} */ event) => {
    if (!drag) return
    const { x, y } = place(event)
    setDrag({ ...drag, toX: x, toY: y })
  }
  const end = () => {
    if (drag) onSelect(selectedBy(drag, time, latency))
    setDrag(null)
  }
  const size = { width, height: HEIGHT }
  const box = drag ? boxOf(drag, size) : selectionBox(selection, time, latency, size)
  return html`
    <div ref=${frame}>
      <div class="heat" style=${{ height: `${HEIGHT}px` }}>
        <div class="axis latency" aria-hidden="true">${logTicks(latency.least, latency.most).map((ns) => html`<span style=${{ top: `${latency.to(ns)}px` }}>${duration(ns)}</span>`)}</div>
        <div class="plot" style=${{ left: `${LEFT}px`, width: `${width}px`, height: `${HEIGHT}px` }} onPointerDown=${begin} onPointerMove=${move} onPointerUp=${end} onPointerCancel=${() => setDrag(null)}>
          <canvas ref=${canvas} width=${width} height=${HEIGHT} role="img" aria-label="Requests by the time they came (across) and their latency (upwards). The table below says the same."></canvas>
          ${box && html`<div class="box" style=${box}></div>`}
        </div>
      </div>
      <${Marks} bins=${bins} head=${requests.head} time=${time} left=${LEFT} width=${width} />
      <div class="axis time" aria-hidden="true" style=${{ marginLeft: `${LEFT}px`, width: `${width}px` }}>${ticks(time.least, time.most, width / 110).map((ns) => html`<span style=${{ left: `${time.to(ns)}px` }}>${duration(ns)}</span>`)}</div>
      <${HeatTable} requests=${requests} marks=${marks} selection=${selection} onSelect=${onSelect} />
    </div>`
}

function draw (context, { requests, marks, lit, width, time, latency }) {
  const image = context.createImageData(width, HEIGHT)
  const columns = Math.ceil(width / CELL)
  const rows = Math.ceil(HEIGHT / CELL)
  const inCells = { time: linear(time.least, time.most, 0, columns), latency: logarithmic(latency.least, latency.most, 0, rows) }
  paint(image, cellsOf(requests, marks, inCells.time, inCells.latency, columns, rows, lit), { cellWidth: CELL, cellHeight: CELL, lights: lit !== null })
  context.putImageData(image, 0, 0)
  context.strokeStyle = getComputedStyle(context.canvas).color
  let dots = 0
  for (let row = 0; row < requests.rows && dots < DOTS; row++) {
    if (requests.of.tail[row] === 0 || marks[row] === MARK.none || (lit !== null && lit[row] === 0)) continue
    dots++
    context.strokeRect(Math.round(time.to(requests.of.start[row])) - 1.5, Math.round(latency.to(requests.mean[row])) - 1.5, 3, 3)
  }
}

/** @param {import('../data/requests').Requests} requests @param {number} width */
function scalesOf ({ head, mean, rows }, width) {
  let least = Infinity
  let most = 0
  for (let row = 0; row < rows; row++) {
    least = Math.min(least, mean[row])
    most = Math.max(most, mean[row])
  }
  const bottom = Math.max(1, rows > 0 ? least : 1)
  return { time: linear(0, Math.max(1, head.span_ns), 0, width), latency: logarithmic(bottom, Math.max(bottom * 1.1, most), HEIGHT, 0) }
}

module.exports = { HeatMap }
