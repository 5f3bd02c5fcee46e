'use strict'

// The additive parts of the latency of a selection, and of the rest.

const { MARK, eachOf } = require('./requests')

const NOT_RUNNING = ['preempted', 'throttled', 'fault', 'blocked']
const TEXT = /** @type {Record<string, string>} */ ({
  gc: 'garbage collection',
  jit: 'compilation',
  ic: 'inline caches',
  preempted: 'not running: preempted',
  throttled: 'not running: CPU quota',
  fault: 'not running: page faults',
  blocked: 'not running: blocked in the kernel'
})
/** Beyond so many, causes of one kind share a row. */
const NAMED = 8

/** @typedef {import('./requests').Requests} Requests */
/** @typedef {{ key: string, group: 'io' | 'queue' | 'exec', text: string, selected: number, rest: number }} Part ns, sums over the requests */
/** @typedef {{ count: number, latency: number }} Group latency: sum, ns */

/** Of the execution, the parts that are known. @param {Record<string, any>} head @returns {string[]} */
function execParts (head) {
  return ['gc', ...head.vm_times ? ['jit', 'ic'] : [], ...head.off_cpu ? NOT_RUNNING : []]
}

/**
 * The additive parts of the latency: each group's sum is its latency's.
 * @param {Requests} requests
 * @param {Uint8Array} marks
 * @returns {{ selected: Group, rest: Group, parts: Part[] }}
 */
function partsOf (requests, marks) {
  const { head, of, rows, waits, blocks } = requests
  const groups = [{ count: 0, latency: 0 }, { count: 0, latency: 0 }]
  const io = sumsOf(head.dependencies.length)
  const queue = sumsOf(head.blockers.length)
  const own = [0, 0]
  const exec = execParts(head).map((name) => ({ name, column: of[`exec_${name}`], sums: [0, 0] }))
  for (let row = 0; row < rows; row++) {
    if (marks[row] === MARK.none) continue
    const group = marks[row] === MARK.selected ? 0 : 1
    groups[group].count += of.count[row]
    groups[group].latency += of.latency[row]
    eachOf(waits, row, (i) => { io[group][waits.of.dependency[i]] += waits.of.ns[i] })
    eachOf(blocks, row, (i) => { queue[group][blocks.of.blocker[i]] += blocks.of.ns[i] })
    let left = of.exec[row]
    for (const { column, sums } of exec) {
      sums[group] += column[row]
      left -= column[row]
    }
    own[group] += left
  }
  const parts = [
    ...named('io', io, (/** @type {number} */ i) => head.dependencies[i].what),
    ...named('queue', queue, (/** @type {number} */ i) => `behind ${head.blockers[i].what}`),
    { key: 'exec:own', group: /** @type {const} */ ('exec'), text: 'code', selected: own[0], rest: own[1] },
    ...exec.map(({ name, sums }) => ({ key: `exec:${name}`, group: /** @type {const} */ ('exec'), text: TEXT[name], selected: sums[0], rest: sums[1] }))
  ]
  return { selected: groups[0], rest: groups[1], parts: parts.filter(({ selected, rest }) => selected > 0 || rest > 0) }
}

const sumsOf = (/** @type {number} */ length) => [new Float64Array(length), new Float64Array(length)]

/** @param {'io' | 'queue'} group @param {Float64Array[]} sums @param {(i: number) => string} text @returns {Part[]} the largest, and the others in one */
function named (group, [selected, rest], text) {
  const numbers = [...selected.keys()].filter((i) => selected[i] > 0 || rest[i] > 0)
    .sort((a, b) => Math.max(selected[b], rest[b]) - Math.max(selected[a], rest[a]))
  const others = numbers.slice(NAMED)
  const sum = (/** @type {Float64Array} */ of) => others.reduce((all, i) => all + of[i], 0)
  return [
    ...numbers.slice(0, NAMED).map((i) => ({ key: `${group}:${i}`, group, text: text(i), selected: selected[i], rest: rest[i] })),
    ...others.length > 0 ? [{ key: `${group}:others`, group, text: `${others.length} others`, selected: sum(selected), rest: sum(rest) }] : []
  ]
}

module.exports = { TEXT, execParts, partsOf }
