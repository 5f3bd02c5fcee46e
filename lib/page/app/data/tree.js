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

/**
 * @param {Requests} requests
 * @param {Uint8Array} marks
 * @param {Frames} frames
 * @returns {Node} of sampled functions an estimate: they may sum to more than what is above them
 */
function treeOf (requests, marks, frames) {
  const { head, of, rows } = requests
  const counts = [0, 0]
  const sums = new Sums(Math.max(head.blockers.length, head.dependencies.length, ROOM))
  const exec = execParts(head).map((name) => of[`exec_${name}`])
  const own = head.blockers.findIndex((/** @type {any} */ { kind }) => kind === 'own')
  for (let row = 0; row < rows; row++) {
    if (marks[row] === MARK.none) continue
    const group = marks[row] === MARK.selected ? 0 : 1
    counts[group] += of.count[row]
    const route = of.route[row]
    eachOf(requests.waits, row, (i) => sums.add(group, route, IO, requests.waits.of.dependency[i], requests.waits.of.ns[i]))
    eachOf(requests.blocks, row, (i) => sums.add(group, route, QUEUE, requests.blocks.of.blocker[i], requests.blocks.of.ns[i]))
    eachOf(requests.frames, row, (i) => {
      const { blocker, node, ns } = requests.frames.of
      sums.addFrame(group, route, blocker[i] === own ? EXEC : QUEUE, blocker[i] === own ? 0 : blocker[i], node[i], ns[i])
    })
    let left = of.latency[row] - of.io[row] - of.queue[row]
    for (let i = 0; i < exec.length; i++) {
      sums.add(group, route, EXEC, i + 1, exec[i][row])
      left -= exec[i][row]
    }
    sums.add(group, route, EXEC, 0, left)
  }
  const mean = (/** @type {number[]} */ [selected, rest]) => ({ selected: counts[0] && selected / counts[0], rest: counts[1] && rest / counts[1] })
  return rootOf(sums, head, mean, frames)
}

const [IO, QUEUE, EXEC] = [0, 1, 2]
const KINDS = /** @type {const} */ ([['io', 'waited'], ['queue', 'queued'], ['exec', 'ran']])
/** At least so many causes have numbers of their own. */
const ROOM = 64

/** Sums of both groups, by route, kind and cause, and of what was sampled in it. */
class Sums {
  /** @param {number} room causes have lower numbers */
  constructor (room) {
    this.room = room
    /** @type {Map<number, { sums: number[], frames: Map<number, number[]> }>} */
    this.cells = new Map()
  }

  /** @param {number} route @param {number} kind @param {number} cause */
  cell (route, kind, cause) {
    const key = (route * KINDS.length + kind) * this.room + cause
    let cell = this.cells.get(key)
    if (!cell) this.cells.set(key, cell = { sums: [0, 0], frames: new Map() })
    return cell
  }

  /** @param {number} group @param {number} route @param {number} kind @param {number} cause @param {number} ns */
  add (group, route, kind, cause, ns) {
    if (ns !== 0) this.cell(route, kind, cause).sums[group] += ns
  }

  /** @param {number} group @param {number} route @param {number} kind @param {number} cause @param {number} frame @param {number} ns */
  addFrame (group, route, kind, cause, frame, ns) {
    const { frames } = this.cell(route, kind, cause)
    const pair = frames.get(frame) ?? [0, 0]
    pair[group] += ns
    frames.set(frame, pair)
  }

  /** @returns {{ route: number, kind: number, cause: number, sums: number[], frames: Map<number, number[]> }[]} */
  entries () {
    return [...this.cells].map(([key, cell]) => ({ route: Math.floor(key / this.room / KINDS.length), kind: Math.floor(key / this.room) % KINDS.length, cause: key % this.room, ...cell }))
  }
}

/** @typedef {(sums: number[]) => { selected: number, rest: number }} Mean */

/** @param {Sums} sums @param {Record<string, any>} head @param {Mean} mean @param {Frames} frames @returns {Node} */
function rootOf (sums, head, mean, frames) {
  const exec = execParts(head)
  const text = [
    (/** @type {number} */ i) => head.dependencies[i].what,
    (/** @type {number} */ i) => `behind ${head.blockers[i].what}`,
    (/** @type {number} */ i) => i === 0 ? 'code' : TEXT[exec[i - 1]]
  ]
  /** @type {Map<number, Node[][]>} */
  const routes = new Map()
  for (const { route, kind, cause, sums: pair, frames: sampled } of sums.entries()) {
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
