'use strict'

// The stacks of a report as weighted paths of frames, the outermost first: what
// occupied the loop, then the functions that it called.

/**
 * @typedef {object} Frame
 * @property {string} name
 * @property {string} script its file, perhaps ''
 * @property {number} line where in it, from 1; 0: not known
 * @property {number} column
 * @property {import('../report/place').Package} package
 * @property {'cause' | 'own' | 'package' | 'node' | 'native' | 'none'} kind whose code it is; a cause is no function
 */

/**
 * @typedef {object} Folded
 * @property {Frame[]} frames
 * @property {number} ns of a request, on average
 * @property {number} waited of `ns`: it was ready, and waited for the loop
 * @property {number} rest the same as `ns`, of the requests that it is compared with
 */

/** @typedef {'tail' | 'rest' | 'blockers' | 'own' | number} Of whose time is drawn: a number is a request's; `blockers` and `own`: the tail's, only while it waited, or ran itself */

/** What begins the name of a script that is a program or a library. */
const NATIVE = 'native:'
const COLUMNS = ['stack', 'tail_wait_ns', 'tail_exec_ns', 'rest_wait_ns', 'rest_exec_ns', 'request_wait_ns', 'request_exec_ns']
const UNKNOWN = Object.freeze({ name: '(what ran could not be told)', script: '', line: 0, column: 0, package: null, kind: /** @type {const} */ ('none') })

/** @param {Of} of @returns {[string, string]} whose time it is, and with whose it is compared */
function groupsOf (of) {
  if (of === 'rest') return ['rest', 'tail']
  return [typeof of === 'number' ? 'request' : 'tail', 'rest']
}

/**
 * @param {Record<string, any>} report with every stack (docs/report-json.md, `stacks`)
 * @param {Of} of
 * @returns {Folded[]} of means a request, the largest first
 */
function fold (report, of) {
  const { stacks, tail, rest } = report
  if (!stacks?.tree) return []
  const framesOf = readerOf(stacks.tree)
  /** @type {Record<string, number>} */
  const requests = { tail: tail?.count, rest: rest?.count, request: 1 }
  const mean = (/** @type {number[]} */ row, /** @type {string} */ group, /** @type {string} */ part) =>
    row[COLUMNS.indexOf(`${group}_${part}_ns`)] / Math.max(1, requests[group] ?? 0)
  const timesOf = (/** @type {number[]} */ row, /** @type {string} */ group) => {
    const waited = of === 'own' ? 0 : mean(row, group, 'wait')
    return { waited, ns: waited + (of === 'blockers' ? 0 : mean(row, group, 'exec')) }
  }
  const [group, other] = groupsOf(of)
  /** @type {Folded[]} */
  const folded = stacks.causes.flatMap((/** @type {any} */ { what, stacks: rows }) => rows.map((/** @type {number[]} */ row) => {
    const frames = [{ name: what, script: '', line: 0, column: 0, package: null, kind: 'cause' }, ...framesOf(row[0])]
    return { frames, ...timesOf(row, group), rest: timesOf(row, other).ns }
  }))
  return folded.filter(({ ns, rest }) => ns > 0 || rest > 0).sort((a, b) => b.ns - a.ns)
}

/** @param {Record<string, any>} tree by column @returns {(node: number) => Frame[]} */
function readerOf ({ parent, function: names, script, line, column, package: packageOf, packages, texts }) {
  const frameOf = (/** @type {number} */ node) => {
    const file = texts[script[node]]
    const its = packages[packageOf[node]]
    const kind = kindOf(file, its)
    return { name: texts[names[node]] || (kind === 'native' ? '(native code)' : '(anonymous)'), script: file, line: line[node], column: column[node], package: its, kind }
  }
  return (node) => {
    if (node === 0) return [UNKNOWN]
    const frames = []
    for (let at = node; at !== 0; at = parent[at]) frames.unshift(frameOf(at))
    return frames
  }
}

/** @param {string} script @param {Frame['package']} its @returns {Frame['kind']} */
function kindOf (script, its) {
  if (script.startsWith('node:')) return 'node'
  if (script.startsWith(NATIVE)) return 'native'
  return its ? 'package' : 'own'
}

module.exports = { fold, groupsOf }
