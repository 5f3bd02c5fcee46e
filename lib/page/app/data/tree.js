'use strict'

// The critical paths of a selection, folded: route, what was done, with what.

const { MARK, eachOf } = require('./requests')
const { TEXT, execParts } = require('./parts')

/** @typedef {import('./requests').Requests} Requests */
/**
 * @typedef {object} Node
 * @property {string} text
 * @property {string} group 'route', 'io', 'queue', 'exec'
 * @property {number} selected ns, a request: mean over all that are selected
 * @property {number} rest
 * @property {Node[]} children largest first;
 */

/** The functions that were sampled, by number: 0 could not be told. @typedef {{ parent: number[], text: string[] }} Frames */

const [IO, QUEUE, EXEC] = [0, 1, 2]
const KINDS = /** @type {const} */ ([['io', 'waited'], ['queue', 'queued'], ['exec', 'ran']])

/** @typedef {{ route: number, kind: number, cause: number }} Cell a box above the functions */
/**
 * @typedef {object} Index summed up many times, made once
 * @property {Cell[]} cells
 * @property {Int32Array} waits the cell of each row of that table
 * @property {Int32Array} blocks
 * @property {Int32Array} frames
 * @property {Int32Array} exec of each request its first; the parts of the execution follow each other
 */
/** @type {WeakMap<Requests, Index>} */
const indexes = new WeakMap()

/** @param {Requests} requests @returns {Index} */
function indexOf (requests) {
  const known = indexes.get(requests)
  if (known) return known
  const { head, of, rows, waits, blocks, frames } = requests
  const parts = 1 + execParts(head).length
  const own = head.blockers.findIndex((/** @type {any} */ { kind }) => kind === 'own')
  const room = Math.max(head.blockers.length, head.dependencies.length, parts)
  /** @type {Cell[]} */
  const cells = []
  const numbers = new Int32Array(head.routes.length * KINDS.length * room).fill(-1)
  const cellOf = (/** @type {number} */ route, /** @type {number} */ kind, /** @type {number} */ cause) => {
    const key = (route * KINDS.length + kind) * room + cause
    if (numbers[key] === -1) numbers[key] = cells.push({ route, kind, cause }) - 1
    return numbers[key]
  }
  const index = { cells, waits: new Int32Array(waits.of.ns.length), blocks: new Int32Array(blocks.of.ns.length), frames: new Int32Array(frames.of.ns.length), exec: new Int32Array(rows) }
  for (let row = 0; row < rows; row++) {
    const route = of.route[row]
    index.exec[row] = cellOf(route, EXEC, 0)
    for (let part = 1; part < parts; part++) cellOf(route, EXEC, part)
    eachOf(waits, row, (i) => { index.waits[i] = cellOf(route, IO, waits.of.dependency[i]) })
    eachOf(blocks, row, (i) => { index.blocks[i] = cellOf(route, QUEUE, blocks.of.blocker[i]) })
    eachOf(frames, row, (i) => { index.frames[i] = frames.of.blocker[i] === own ? index.exec[row] : cellOf(route, QUEUE, frames.of.blocker[i]) })
  }
  indexes.set(requests, index)
  return index
}

/**
 * @param {Requests} requests
 * @param {Uint8Array} marks
 * @param {Frames} frames
 * @returns {Node} of sampled functions an estimate: they may sum to more than what is above them
 */
function treeOf (requests, marks, frames) {
  const { head, of, rows } = requests
  const index = indexOf(requests)
  const counts = [0, 0]
  const sums = new Float64Array(2 * index.cells.length)
  /** @type {Map<number, number[]>[]} by cell: sums by frame */
  const sampled = index.cells.map(() => new Map())
  const exec = execParts(head).map((name) => of[`exec_${name}`])
  for (let row = 0; row < rows; row++) {
    if (marks[row] === MARK.none) continue
    const group = marks[row] === MARK.selected ? 0 : 1
    counts[group] += of.count[row]
    eachOf(requests.waits, row, (i) => { sums[2 * index.waits[i] + group] += requests.waits.of.ns[i] })
    eachOf(requests.blocks, row, (i) => { sums[2 * index.blocks[i] + group] += requests.blocks.of.ns[i] })
    eachOf(requests.frames, row, (i) => {
      const of = sampled[index.frames[i]]
      const node = requests.frames.of.node[i]
      const pair = of.get(node) ?? [0, 0]
      pair[group] += requests.frames.of.ns[i]
      of.set(node, pair)
    })
    const first = index.exec[row]
    let left = of.exec[row]
    for (let i = 0; i < exec.length; i++) {
      sums[2 * (first + 1 + i) + group] += exec[i][row]
      left -= exec[i][row]
    }
    sums[2 * first + group] += left
  }
  const mean = (/** @type {number[]} */ [selected, rest]) => ({ selected: counts[0] && selected / counts[0], rest: counts[1] && rest / counts[1] })
  const filled = index.cells.map((cell, i) => ({ ...cell, sums: [sums[2 * i], sums[2 * i + 1]], sampled: sampled[i] }))
  return rootOf(filled, head, mean, frames)
}

/** @typedef {(sums: number[]) => { selected: number, rest: number }} Mean */

/** @param {(Cell & { sums: number[], sampled: Map<number, number[]> })[]} cells @param {Record<string, any>} head @param {Mean} mean @param {Frames} frames @returns {Node} */
function rootOf (cells, head, mean, frames) {
  const exec = execParts(head)
  const text = [
    (/** @type {number} */ i) => head.dependencies[i].what,
    (/** @type {number} */ i) => `behind ${head.blockers[i].what}`,
    (/** @type {number} */ i) => i === 0 ? 'code' : TEXT[exec[i - 1]]
  ]
  /** @type {Map<number, Node[][]>} */
  const routes = new Map()
  for (const { route, kind, cause, sums: pair, sampled } of cells) {
    const kinds = routes.get(route) ?? [[], [], []]
    kinds[kind].push({ text: text[kind](cause), group: KINDS[kind][0], ...mean(pair), children: callsOf(sampled, KINDS[kind][0], mean, frames) })
    routes.set(route, kinds)
  }
  return parent('all', 'route', [...routes].map(([route, kinds]) =>
    parent(head.routes[route], 'route', kinds.map((causes, kind) => parent(KINDS[kind][1], KINDS[kind][0], causes)))))
}

/** @param {Map<number, number[]>} sampled sums by frame @param {string} group @param {Mean} mean @param {Frames} frames @returns {Node[]} callers outside */
function callsOf (sampled, group, mean, frames) {
  /** @type {Map<number, { sums: number[], calls: Set<number> }>} */
  const all = new Map()
  const roots = new Set()
  for (const [frame, [selected, rest]] of sampled) {
    let below = -1
    for (let at = frame; at !== 0 || below === -1; at = frames.parent[at]) {
      const node = all.get(at) ?? { sums: [0, 0], calls: new Set() }
      node.sums[0] += selected
      node.sums[1] += rest
      if (below !== -1) node.calls.add(below)
      all.set(at, node)
      below = at
      if (at === 0) break
    }
    roots.add(below)
  }
  const nodeOf = (/** @type {number} */ frame) => {
    const { sums, calls } = /** @type {{ sums: number[], calls: Set<number> }} */ (all.get(frame))
    return { text: frames.text[frame] ?? '(could not be told)', group, ...mean(sums), children: sorted([...calls].map(nodeOf)) }
  }
  return sorted([...roots].map(nodeOf))
}

/** @param {Node[]} nodes @returns {Node[]} those that are something, largest first */
function sorted (nodes) {
  const most = (/** @type {Node} */ { selected, rest }) => Math.max(selected, rest)
  return nodes.filter((node) => most(node) > 0).sort((a, b) => most(b) - most(a))
}

/** @param {string} text @param {string} group @param {Node[]} children @returns {Node} */
function parent (text, group, children) {
  return {
    text,
    group,
    selected: children.reduce((sum, child) => sum + child.selected, 0),
    rest: children.reduce((sum, child) => sum + child.rest, 0),
    children: sorted(children)
  }
}

module.exports = { treeOf }
