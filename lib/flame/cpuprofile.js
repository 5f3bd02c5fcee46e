'use strict'

// A .cpuprofile, as Chrome's developer tools and VS Code open it: one sample a
// stack, which lasts as long as the stack ran.

/** @param {import('./fold').Folded[]} folded @returns {string} JSON; times in microseconds */
function cpuprofile (folded) {
  const nodes = [nodeOf(1, { name: '(root)', script: '', line: 0, column: 0 })]
  /** @type {Map<string, number>} */
  const children = new Map()
  const childOf = (/** @type {number} */ parent, /** @type {import('./fold').Frame} */ frame) => {
    const key = JSON.stringify([parent, frame.name, frame.script, frame.line, frame.column])
    let id = children.get(key)
    if (id === undefined) {
      id = nodes.length + 1
      nodes.push(nodeOf(id, frame))
      nodes[parent - 1].children.push(id)
      children.set(key, id)
    }
    return id
  }
  const samples = folded.map(({ frames }) => {
    const leaf = frames.reduce(childOf, 1)
    nodes[leaf - 1].hitCount++
    return leaf
  })
  const lasted = folded.map(({ ns }) => Math.round(ns / 1000))
  // A sample lasts until the next one.
  return JSON.stringify({ nodes, startTime: 0, endTime: lasted.reduce((sum, us) => sum + us, 0), samples, timeDeltas: [0, ...lasted.slice(0, -1)] })
}

/** Lines and columns count from 0 there. */
function nodeOf (/** @type {number} */ id, /** @type {{ name: string, script: string, line: number, column: number }} */ { name, script, line, column }) {
  return {
    id,
    callFrame: { functionName: name, scriptId: '0', url: script, lineNumber: line - 1, columnNumber: column - 1 },
    hitCount: 0,
    children: /** @type {number[]} */ ([])
  }
}

module.exports = { cpuprofile }
