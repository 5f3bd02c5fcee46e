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
 * @property {'cause' | 'own' | 'package' | 'node' | 'none'} kind whose code it is; a cause is no function
 */

/**
 * @typedef {object} Folded
 * @property {Frame[]} frames
 * @property {number} ns of a request, on average
 * @property {number} rest the same of the requests that are not in the tail
 */

/** Which of a stack's four times count. @type {Record<string, { tail: string[], rest: string[] }>} */
const OF = {
  tail: { tail: ['tail_wait_ns', 'tail_exec_ns'], rest: ['rest_wait_ns', 'rest_exec_ns'] },
  blockers: { tail: ['tail_wait_ns'], rest: ['rest_wait_ns'] },
  own: { tail: ['tail_exec_ns'], rest: ['rest_exec_ns'] }
}
const COLUMNS = ['stack', 'tail_wait_ns', 'tail_exec_ns', 'rest_wait_ns', 'rest_exec_ns']
const UNKNOWN = Object.freeze({ name: '(what ran could not be told)', script: '', line: 0, column: 0, package: null, kind: /** @type {const} */ ('none') })

/**
 * @param {Record<string, any>} report with every stack (docs/report-json.md, `stacks`)
 * @param {'tail' | 'rest' | 'blockers' | 'own'} of `rest` in place of the tail; `blockers` and `own`: only while the tail waited, or ran itself
 * @returns {Folded[]} of means a request, the largest first
 */
function fold (report, of) {
  const { stacks, tail, rest } = report
  if (!stacks?.tree) return []
  const chosen = OF[of === 'rest' ? 'tail' : of]
  const framesOf = readerOf(stacks.tree)
  const mean = (/** @type {number[]} */ row, /** @type {string[]} */ columns, /** @type {any} */ group) =>
    columns.reduce((sum, column) => sum + row[COLUMNS.indexOf(column)], 0) / Math.max(1, group?.count ?? 0)
  /** @type {Folded[]} */
  const folded = stacks.causes.flatMap((/** @type {any} */ { what, stacks: rows }) => rows.map((/** @type {number[]} */ row) => {
    const times = [mean(row, chosen.tail, tail), mean(row, chosen.rest, rest)]
    if (of === 'rest') times.reverse()
    return { frames: [{ name: what, script: '', line: 0, column: 0, package: null, kind: 'cause' }, ...framesOf(row[0])], ns: times[0], rest: times[1] }
  }))
  return folded.filter(({ ns, rest }) => ns > 0 || rest > 0).sort((a, b) => b.ns - a.ns)
}

/** @param {Record<string, any>} tree by column @returns {(node: number) => Frame[]} */
function readerOf ({ parent, function: names, script, line, column, package: packageOf, packages, texts }) {
  const frameOf = (/** @type {number} */ node) => {
    const file = texts[script[node]]
    const its = packages[packageOf[node]]
    return { name: texts[names[node]] || '(anonymous)', script: file, line: line[node], column: column[node], package: its, kind: kindOf(file, its) }
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
  return its ? 'package' : 'own'
}

module.exports = { fold }
