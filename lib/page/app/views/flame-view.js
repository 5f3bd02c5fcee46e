'use strict'

// The critical paths of a selection, folded; also against the rest.

const { useState } = require('preact/hooks')
const { html } = require('../kit/html')
const { duration, percent, signed } = require('../kit/scales')

const ROW = 22
/** Of the width; what is narrower is in the table only. */
const LEAST = 0.004

/**
 * @param {object} props
 * @param {import('../data/tree').Node} props.tree
 * @param {string} props.sought marks the boxes that hold it
 */
function Flame ({ tree, sought }) {
  const [against, setAgainst] = useState(false)
  const [path, setPath] = useState(/** @type {string[]} */ ([]))
  const size = (/** @type {import('../data/tree').Node} */ node) => against ? Math.max(node.selected, node.rest) : node.selected
  const { node: root, path: found } = zoomed(tree, path)
  const boxes = boxesOf(root, size, found)
  const depth = boxes.reduce((most, { level }) => Math.max(most, level), 0) + 1
  return html`
    <p class="help">Means of a request. A click zooms in, a click on the outermost box out.
      <label><input type="checkbox" checked=${against} onChange=${(/** @type {any} */ event) => setAgainst(event.target.checked)} /> against the rest</label>
      ${against ? ' Orange: more in the selection; blue: less. A box is as wide as the longer of both.' : ''}</p>
    <div class=${against ? 'flame against' : 'flame'} style=${{ height: `${depth * ROW}px` }}>
      ${boxes.map(({ node, left, width, level, path: of }) => html`
        <button key=${of.join('\n')} class=${`${node.group} ${against ? changeOf(node) : ''} ${sought !== '' && node.text.toLowerCase().includes(sought) ? 'sought' : ''}`}
          style=${{ left: `${100 * left}%`, width: `${100 * width}%`, top: `${level * ROW}px` }} title=${labelOf(node, against, tree)}
          onClick=${() => setPath(of.length === found.length ? of.slice(0, -1) : of)}>${labelOf(node, against, tree)}</button>`)}
    </div>
    <details>
      <summary>The same as a table</summary>
      <table class="numbers"><thead><tr><th scope="col">Path</th><th scope="col">Selection</th><th scope="col">Rest</th><th scope="col">Difference</th></tr></thead>
        <tbody>${leavesOf(tree).map(({ path: of, node }) => html`<tr><th scope="row">${of.join(' → ')}</th><td>${duration(node.selected)}</td><td>${duration(node.rest)}</td><td>${signed(node.selected - node.rest)}</td></tr>`)}</tbody></table>
    </details>`
}

/** @param {import('../data/tree').Node} node */
function changeOf ({ selected, rest }) {
  const change = selected - rest
  const strong = Math.abs(change) > 0.5 * Math.max(selected, rest)
  return change === 0 ? 'same' : `${change > 0 ? 'more' : 'less'}${strong ? ' strong' : ''}`
}

/** @param {import('../data/tree').Node} node @param {boolean} against @param {import('../data/tree').Node} tree */
function labelOf ({ text, selected, rest }, against, tree) {
  if (against) return `${signed(selected - rest)} ${text}`
  return `${text} ${duration(selected)}${tree.selected > 0 ? ` (${percent(selected / tree.selected)})` : ''}`
}

/** As far as there is one. @param {import('../data/tree').Node} tree @param {string[]} path */
function zoomed (tree, path) {
  let node = tree
  const found = []
  for (const text of path) {
    const child = node.children.find((each) => each.text === text)
    if (!child) break
    node = child
    found.push(text)
  }
  return { node, path: found }
}

/** Callers on top. @param {import('../data/tree').Node} root @param {(node: import('../data/tree').Node) => number} size @param {string[]} path */
function boxesOf (root, size, path) {
  /** @type {{ node: import('../data/tree').Node, left: number, width: number, level: number, path: string[] }[]} */
  const boxes = []
  const whole = size(root)
  const add = (/** @type {import('../data/tree').Node} */ node, /** @type {number} */ left, /** @type {number} */ level, /** @type {string[]} */ of) => {
    const width = whole === 0 ? 0 : Math.min(1 - left, size(node) / whole)
    if (width < LEAST) return
    boxes.push({ node, left, width, level, path: of })
    // Of a difference the longer of both, summed, may be longer than its caller.
    const sum = node.children.reduce((all, child) => all + size(child), 0)
    const scale = sum > 0 ? Math.min(1, size(node) / sum) : 1
    let at = left
    for (const child of node.children) {
      add(child, at, level + 1, [...of, child.text])
      at += whole === 0 ? 0 : scale * size(child) / whole
    }
  }
  add(root, 0, 0, path)
  return boxes
}

/** @param {import('../data/tree').Node} node @param {string[]} path @returns {{ path: string[], node: import('../data/tree').Node }[]} */
function leavesOf (node, path = []) {
  if (node.children.length === 0) return path.length === 0 ? [] : [{ path, node }]
  return node.children.flatMap((child) => leavesOf(child, [...path, child.text]))
}

module.exports = { Flame, boxesOf, leavesOf }
