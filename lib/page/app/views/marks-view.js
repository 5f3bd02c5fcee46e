'use strict'

// Below the heat map: when the loops collected garbage, and when they did not
// get the processor.

const { useEffect, useRef } = require('preact/hooks')
const { html } = require('../kit/html')
const { duration } = require('../kit/scales')

const ROW = 8
const ROWS = /** @type {const} */ ([
  { name: 'minor collections', columns: ['minor_gc'] },
  { name: 'major collections', columns: ['major_gc'] },
  { name: 'not running', columns: ['preempted', 'throttled', 'fault', 'blocked'], needs: 'off_cpu' }
])

/**
 * @param {object} props
 * @param {import('../data/columns').Table | undefined} props.bins
 * @param {Record<string, any>} props.head
 * @param {import('../kit/scales').Scale} props.time
 * @param {number} props.left
 * @param {number} props.width
 */
function Marks ({ bins, head, time, left, width }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null))
  const height = ROW * ROWS.length
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context && bins?.bin) draw(context, bins, head, time)
  }, [bins, time])
  if (!bins?.bin) return null
  const sum = (/** @type {readonly string[]} */ columns) => columns.reduce((all, name) => all + bins[name].reduce((some, ns) => some + ns, 0), 0)
  const said = ROWS.map((row) => `${row.name} ${'needs' in row && !head[row.needs] ? 'not recorded' : duration(sum(row.columns))}`).join(', ')
  return html`
    <div class="marks" style=${{ paddingLeft: `${left}px` }}>
      <canvas ref=${canvas} width=${width} height=${height} role="img" aria-label=${`Over the same time: ${said}`}></canvas>
      <p class="help" style=${{ marginTop: 0 }}>Marks, downwards: ${said}.</p>
    </div>`
}

function draw (context, bins, head, time) {
  const { width, height } = context.canvas
  context.clearRect(0, 0, width, height)
  context.fillStyle = getComputedStyle(context.canvas).color
  ROWS.forEach(({ columns }, row) => {
    /** @type {Float64Array} */
    const pixels = new Float64Array(width)
    for (let i = 0; i < bins.bin.length; i++) {
      const x = Math.floor(time.to(bins.bin[i] * head.bin_ns - head.bin_offset_ns))
      if (x < 0 || x >= width) continue
      for (const name of columns) pixels[x] += bins[name][i]
    }
    const most = pixels.reduce((a, b) => Math.max(a, b), 0)
    pixels.forEach((ns, x) => {
      if (ns === 0) return
      context.globalAlpha = 0.3 + 0.7 * ns / most
      context.fillRect(x, row * ROW, 1, ROW - 1)
    })
  })
  context.globalAlpha = 1
}

module.exports = { Marks }
