'use strict'

// A flame graph as one SVG file, callers on top: it opens in any browser, from
// disk, and without scripts it is a picture. Where a box lies is told in percent
// of the window's width. A click or Enter zooms, '/' searches, Escape goes back.

const { difference, percent, time } = require('../report/units')
const { treeOf } = require('./tree')

const ROW = 18
const HEAD = 72
const FONT = { family: 'sans-serif', size: 12 }
const LEAST_WIDTH = 0.025 // Of a box, in percent: narrower ones are not drawn.

/** Told apart by lightness or as blue and orange. @type {Record<import('./fold').Frame['kind'], string>} */
const COLOURS = { cause: '#a8c0dd', own: '#f0a04b', package: '#f5d787', node: '#d3d7da', native: '#cdb9e3', none: '#eceeef' }
const LEGEND = [['cause', 'what occupied the loop'], ['own', "the application's functions"], ['package', "packages' functions"], ['node', "Node's own"], ['native', 'native code']]
const MORE = [230, 97, 0]
const LESS = [26, 133, 255]

/**
 * @param {import('./fold').Folded[]} folded
 * @param {{ title: string, diff: boolean }} options diff: coloured by how much more time it is than the others'
 * @returns {string}
 */
function svg (folded, { title, diff }) {
  const size = diff ? (/** @type {import('./tree').Box} */ box) => Math.max(box.ns, box.rest) : (/** @type {import('./tree').Box} */ box) => box.ns
  const root = measured(treeOf(folded), size)
  /** @type {string[]} */
  const boxes = []
  const depth = root.takes > 0 ? draw(root, 0, 0, { size, whole: root.takes, diff, most: root.changes, boxes }) : 0
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="${HEAD + ROW * (depth + 1)}" font-family="${FONT.family}" font-size="${FONT.size}">
<title>${escaped(title)}</title>
<style>svg{background:#fff}.f{cursor:pointer;outline:none}.f rect{stroke:#fff;stroke-width:.5}.found rect{stroke:#a3008f;stroke-width:5}.f:hover rect,.f:focus rect{stroke:#000;stroke-width:3}.faint{opacity:.6}.f text{pointer-events:none}</style>
<text x="8" y="20" font-size="15">${escaped(title)}</text>
<text x="8" y="40" xml:space="preserve">${legend(diff)}</text>
<text x="8" y="60" id="told" fill="#444">click or Enter: zoom - Escape: back - /: search</text>
<text x="99%" y="60" id="found" text-anchor="end" fill="#a3008f"/>
${boxes.join('\n')}
<script><![CDATA[${SCRIPT}]]></script>
</svg>
`
}

/**
 * @typedef {Omit<import('./tree').Box, 'children'> & { takes: number, changes: number, children: Measured[] }} Measured
 * takes: at least what its children take, which differ in whose time is more; changes: by most, of it and all above
 * @param {import('./tree').Box} box
 * @param {(box: import('./tree').Box) => number} size
 * @returns {Measured}
 */
function measured (box, size) {
  const children = box.children.map((child) => measured(child, size))
  const takes = Math.max(size(box), children.reduce((sum, child) => sum + child.takes, 0))
  const changes = children.reduce((most, child) => Math.max(most, child.changes), Math.abs(box.ns - box.rest))
  return { ...box, takes, changes, children }
}

/** @returns {number} how many rows are below this one */
function draw (/** @type {Measured} */ box, /** @type {number} */ from, /** @type {number} */ row, /** @type {any} */ drawing) {
  const { size, whole, diff, most, boxes } = drawing
  const change = box.ns - box.rest
  const told = diff ? `${difference(change)} (${time(box.ns)}, others ${time(box.rest)})` : `${time(box.ns)}, ${percent(size(box) / whole)}`
  const colour = diff ? shade(most > 0 ? change / most : 0) : COLOURS[box.kind]
  const label = diff ? `${difference(change)} ${box.label}` : box.label
  const place = `x="${(100 * from / whole).toFixed(4)}%" y="${HEAD + ROW * row}" width="${(100 * box.takes / whole).toFixed(4)}%" height="${ROW - 1}"`
  boxes.push(`<svg class="f" ${place} tabindex="0"><title>${escaped(`${box.label}: ${told}`)}</title><rect width="100%" height="100%" fill="${colour}"/><text x="3" y="13">${escaped(label)}</text></svg>`)
  let below = 0
  for (const child of box.children) {
    if (100 * child.takes / whole >= LEAST_WIDTH) below = Math.max(below, 1 + draw(child, from, row + 1, drawing))
    from += child.takes
  }
  return below
}

/** @param {number} change from -1 to 1 */
function shade (change) {
  const [to, part] = [change < 0 ? LESS : MORE, Math.sqrt(Math.abs(change))]
  return `rgb(${to.map((most) => Math.round(255 + (most - 255) * part)).join(',')})`
}

function legend (/** @type {boolean} */ diff) {
  const entries = diff ? [[shade(1), 'more than the others'], [shade(-1), 'less']] : LEGEND.map(([kind, text]) => [COLOURS[/** @type {import('./fold').Frame['kind']} */ (kind)], text])
  return entries.map(([colour, text]) => `<tspan fill="${colour}" stroke="#777" stroke-width=".5">■</tspan> ${escaped(text)}`).join('     ')
}

function escaped (/** @type {string} */ text) {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '?')
}

// Runs in the file.
const SCRIPT = `
'use strict'
const root = document.documentElement
const told = document.getElementById('told')
const pen = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas').getContext('2d')
pen.font = '${FONT.size}px ${FONT.family}'
const widths = new Map()
function widthOf (letter) {
  if (!widths.has(letter)) widths.set(letter, pen.measureText(letter).width)
  return widths.get(letter)
}
function fitted (text, room) {
  let [used, fits] = [0, 0]
  for (const letter of text) {
    used += widthOf(letter)
    if (used + widthOf('…') <= room) fits += letter.length
    if (used > room) return fits < 2 ? '' : text.slice(0, fits) + '…'
  }
  return text
}
const boxes = [...document.querySelectorAll('.f')].map((box) => {
  const [x, y, width] = ['x', 'y', 'width'].map((name) => parseFloat(box.getAttribute(name)))
  return { box, x, y, width, label: box.querySelector('text'), text: box.querySelector('text').textContent }
})
let shown = boxes[0]
function place () {
  const pixels = root.getBoundingClientRect().width / 100
  for (const { box, x, y, width, label, text } of boxes) {
    const calls = y < shown.y && x <= shown.x + 0.001 && x + width >= shown.x + shown.width - 0.001
    const left = calls ? 0 : (x - shown.x) * 100 / shown.width
    const wide = calls ? 100 : width * 100 / shown.width
    const out = !calls && (y < shown.y || left < -0.001 || left + wide > 100.01)
    box.style.display = out ? 'none' : ''
    if (out) continue
    box.classList.toggle('faint', calls)
    box.setAttribute('x', left + '%')
    box.setAttribute('width', wide + '%')
    label.textContent = fitted(text, wide * pixels - 6)
  }
}
function find (wanted) {
  let found = 0
  for (const { box, text } of boxes) {
    const is = wanted !== '' && text.toLowerCase().includes(wanted.toLowerCase())
    box.classList.toggle('found', is)
    if (is) found++
  }
  document.getElementById('found').textContent = wanted === '' ? '' : wanted + ': ' + found + ' found'
}
function zoom (event) {
  const box = boxes.find(({ box }) => box === event.target.closest('.f'))
  if (box) { shown = box; place() }
}
function tell (event) {
  const box = event.target.closest('.f')
  if (box) told.textContent = box.querySelector('title').textContent
}
document.addEventListener('click', zoom)
document.addEventListener('mouseover', tell)
document.addEventListener('focusin', tell)
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') zoom(event)
  if (event.key === 'Escape') { shown = boxes[0]; find(''); if (shown) place() }
  if (event.key === '/') { event.preventDefault(); find(prompt('Search for a function or file') ?? '') }
})
addEventListener('resize', () => { if (shown) place() })
if (shown) place()
`

module.exports = { svg }
