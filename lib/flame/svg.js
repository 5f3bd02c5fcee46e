'use strict'

// A flame graph as one SVG file: it opens in any browser, from disk. A click
// zooms, '/' searches, Escape goes back.

const { time } = require('../report/units')
const { treeOf } = require('./tree')

const WIDTH = 1200
const ROW = 18
const HEAD = 44
const LEAST_WIDTH = 0.3 // Of a box, in units of the drawing: narrower ones are not drawn.

/** Told apart by lightness, too. @type {Record<import('./fold').Frame['kind'], string>} */
const COLOURS = { cause: '#b9c2cc', own: '#f0a04b', package: '#f5d787', node: '#cfd8dc', none: '#e4e7ea' }
const LEGEND = [['cause', 'what occupied the loop'], ['own', "the application's functions"], ['package', "packages'"], ['node', "Node's own"]]
const MORE = [230, 97, 0]
const LESS = [26, 133, 255]

/**
 * @param {import('./fold').Folded[]} folded
 * @param {{ title: string, diff: boolean }} options diff: coloured by how much more of the tail's time it is than of the others'
 * @returns {string}
 */
function svg (folded, { title, diff }) {
  const size = diff ? (/** @type {import('./tree').Box} */ box) => Math.max(box.ns, box.rest) : (/** @type {import('./tree').Box} */ box) => box.ns
  const root = measured(treeOf(folded), size)
  /** @type {string[]} */
  const boxes = []
  const depth = root.takes > 0 ? draw(root, 0, 0, { size, whole: root.takes, diff, most: root.changes, boxes }) : 0
  const height = HEAD + ROW * (depth + 1)
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="100%" font-family="sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">
<style>.f{cursor:pointer}.f:hover rect,.found rect{stroke:#000}.faint{opacity:.35}text{pointer-events:none}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="8" y="18" font-size="15">${escaped(title)}</text>
${legend(diff)}
<g id="boxes" data-height="${height}">
${boxes.join('\n')}
</g>
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

/** @returns {number} how many rows are above this one */
function draw (/** @type {Measured} */ box, /** @type {number} */ from, /** @type {number} */ row, /** @type {any} */ drawing) {
  const { size, whole, diff, most, boxes } = drawing
  const width = WIDTH * box.takes / whole
  const change = box.ns - box.rest
  const share = `${(100 * size(box) / whole).toFixed(1)} %`
  const told = diff ? `${change < 0 ? '-' : '+'}${time(Math.abs(change))} (${time(box.ns)}, others ${time(box.rest)})` : `${time(box.ns)}, ${share}`
  const colour = diff ? shade(most > 0 ? change / most : 0) : COLOURS[box.kind]
  const signed = diff ? `${change < 0 ? '-' : '+'}${time(Math.abs(change))} ` : ''
  boxes.push(`<g class="f" data-x="${from.toFixed(2)}" data-w="${width.toFixed(2)}" data-r="${row}" data-t="${escaped(signed + box.label)}"><title>${escaped(`${box.label}: ${told}`)}</title><rect rx="1" fill="${colour}"/><text/></g>`)
  let above = 0
  for (const child of box.children) {
    const wide = WIDTH * child.takes / whole
    if (wide >= LEAST_WIDTH) above = Math.max(above, 1 + draw(child, from, row + 1, drawing))
    from += wide
  }
  return above
}

/** @param {number} change from -1 to 1 */
function shade (change) {
  const [to, part] = [change < 0 ? LESS : MORE, Math.sqrt(Math.abs(change))]
  return `rgb(${to.map((most) => Math.round(255 + (most - 255) * part)).join(',')})`
}

function legend (/** @type {boolean} */ diff) {
  const entries = diff ? [['rgb(230,97,0)', 'more in the tail'], ['rgb(26,133,255)', 'less']] : LEGEND.map(([kind, text]) => [COLOURS[/** @type {import('./fold').Frame['kind']} */ (kind)], text])
  return entries.map(([colour, text], i) => `<rect x="${8 + 190 * i}" y="26" width="11" height="11" fill="${colour}" stroke="#999"/><text x="${24 + 190 * i}" y="36">${escaped(text)}</text>`).join('\n')
}

function escaped (/** @type {string} */ text) {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '?')
}

// Runs in the file.
const SCRIPT = `
'use strict'
const width = ${WIDTH}, row = ${ROW}
const group = document.getElementById('boxes')
const height = Number(group.dataset.height)
const boxes = [...group.children].map((g) => ({ g, x: Number(g.dataset.x), w: Number(g.dataset.w), r: Number(g.dataset.r), text: g.dataset.t }))
let shown = boxes[0]
function place () {
  for (const { g, x, w, r, text } of boxes) {
    const holds = x <= shown.x + 0.01 && x + w >= shown.x + shown.w - 0.01 && r < shown.r
    const left = holds ? 0 : (x - shown.x) * width / shown.w
    const wide = holds ? width : w * width / shown.w
    const out = left + wide < 0.2 || left > width - 0.2 || wide < 0.2
    g.style.display = out ? 'none' : ''
    if (out) continue
    g.classList.toggle('faint', holds)
    const [rect, label] = [g.querySelector('rect'), g.querySelector('text')]
    const y = height - row * (r + 1)
    for (const [name, value] of [['x', left], ['y', y], ['width', Math.max(0.1, wide - 0.5)], ['height', row - 1]]) rect.setAttribute(name, value)
    const letters = Math.floor((wide - 6) / 6.6)
    label.textContent = letters < 3 ? '' : text.length <= letters ? text : text.slice(0, letters - 1) + '…'
    label.setAttribute('x', left + 3)
    label.setAttribute('y', y + 13)
  }
}
function find (text) {
  for (const { g, text: own } of boxes) g.classList.toggle('found', text !== '' && own.toLowerCase().includes(text.toLowerCase()))
}
group.addEventListener('click', (event) => {
  const box = boxes.find(({ g }) => g === event.target.closest('.f'))
  if (box) { shown = box; place() }
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') { shown = boxes[0]; find(''); place() }
  if (event.key === '/') { event.preventDefault(); find(prompt('Search for a function or file') ?? '') }
})
if (shown) place()
`

module.exports = { svg }
