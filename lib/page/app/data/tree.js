'use strict'

// The critical paths of a selection, folded: route, what was done, with what.

const { MARK } = require('./requests')
const { TEXT, execParts } = require('./parts')

/** @typedef {import('./requests').Requests} Requests */
/**
 * @typedef {object} Node
 * @property {string} text
 * @property {string} group 'route', 'io', 'queue', 'exec'
 * @property {number} selected ns, a request: mean over all that are selected
 * @property {number} rest
 * @property {Node[]} children largest first; their sums are no more than the node's
 */

const KINDS = /** @type {const} */ ({ io: 'waited', queue: 'queued', exec: 'ran' })

/**
 * @param {Requests} requests
 * @param {Uint8Array} marks
 * @returns {Node}
 */
function treeOf (requests, marks) {
  const { head, of, rows } = requests
  const counts = [0, 0]
  const builder = new Builder()
  const exec = execParts(head)
  for (let row = 0; row < rows; row++) {
    if (marks[row] === MARK.none) continue
    const group = marks[row] === MARK.selected ? 0 : 1
    counts[group] += of.count[row]
    const route = of.route[row]
    for (let i = requests.waitBegins[row]; i < requests.waitBegins[row + 1]; i++) builder.add(group, route, 'io', requests.waits.dependency[i], requests.waits.ns[i])
    for (let i = requests.blockBegins[row]; i < requests.blockBegins[row + 1]; i++) builder.add(group, route, 'queue', requests.blocks.blocker[i], requests.blocks.ns[i])
    let left = of.latency[row] - of.io[row] - of.queue[row]
    for (let i = 0; i < exec.length; i++) {
      const ns = of[`exec_${exec[i]}`][row]
      builder.add(group, route, 'exec', i + 1, ns)
      left -= ns
    }
    builder.add(group, route, 'exec', 0, left)
  }
  const name = {
    io: (/** @type {number} */ i) => head.dependencies[i].what,
    queue: (/** @type {number} */ i) => `behind ${head.blockers[i].what}`,
    exec: (/** @type {number} */ i) => i === 0 ? 'code' : TEXT[exec[i - 1]]
  }
  return builder.root(counts, (route) => head.routes[route], name)
}

/** Sums by route, kind and cause. */
class Builder {
  constructor () {
    /** @type {Map<number, Record<'io' | 'queue' | 'exec', Map<number, number[]>>>} */
    this.routes = new Map()
  }

  /** @param {number} group @param {number} route @param {'io' | 'queue' | 'exec'} kind @param {number} cause @param {number} ns */
  add (group, route, kind, cause, ns) {
    if (ns === 0) return
    let kinds = this.routes.get(route)
    if (!kinds) this.routes.set(route, kinds = { io: new Map(), queue: new Map(), exec: new Map() })
    let pair = kinds[kind].get(cause)
    if (!pair) kinds[kind].set(cause, pair = [0, 0])
    pair[group] += ns
  }

  /** @param {number[]} counts @param {(route: number) => string} routeText @param {Record<'io' | 'queue' | 'exec', (cause: number) => string>} causeText @returns {Node} */
  root ([selected, rest], routeText, causeText) {
    const mean = (/** @type {number} */ sum, /** @type {number} */ count) => count === 0 ? 0 : sum / count
    const routes = [...this.routes].map(([route, kinds]) => parent(routeText(route), 'route', /** @type {const} */ (['io', 'queue', 'exec']).map((kind) =>
      parent(KINDS[kind], kind, [...kinds[kind]].map(([cause, pair]) => ({ text: causeText[kind](cause), group: kind, selected: mean(pair[0], selected), rest: mean(pair[1], rest), children: [] }))))))
    return parent('all', 'route', routes)
  }
}

/** @param {string} text @param {string} group @param {Node[]} children @returns {Node} */
function parent (text, group, children) {
  const most = (/** @type {Node} */ { selected, rest }) => Math.max(selected, rest)
  const some = children.filter((child) => most(child) > 0).sort((a, b) => most(b) - most(a))
  return {
    text,
    group,
    selected: some.reduce((sum, child) => sum + child.selected, 0),
    rest: some.reduce((sum, child) => sum + child.rest, 0),
    children: some
  }
}

module.exports = { treeOf }
