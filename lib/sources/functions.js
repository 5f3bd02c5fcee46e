'use strict'

// The functions of a cause, of its stacks: by the sources, in which what had one
// name in the file that ran may be several functions, and several one.

// Two more where one request was asked for.
const TIMES = ['tail_wait_ns', 'tail_exec_ns', 'rest_wait_ns', 'rest_exec_ns', 'request_wait_ns', 'request_exec_ns']
const MOST = 20

/** @typedef {Record<string, any>} Tree */
/** @typedef {Record<string, any> & { places: Map<string, { line: number, column: number, ns: number }> }} Sum */

/**
 * @param {Tree} tree
 * @param {number[][]} rows a stack and its times each
 * @returns {Record<string, any>[]} docs/report-json.md, `functions`
 */
function functionsOf (tree, rows) {
  /** @type {Map<string, Sum>} */
  const sums = new Map()
  for (const [stack, ...times] of rows) {
    if (stack !== 0) add(sums, frameOf(tree, ownOf(tree, stack)), times)
  }
  return Array.from(sums.values(), told).sort((a, b) => ofTail(b) - ofTail(a)).slice(0, MOST)
}

const ofTail = (/** @type {Record<string, any>} */ { tail_wait_ns: wait, tail_exec_ns: exec }) => wait + exec

/**
 * @param {Tree} tree
 * @param {number} stack
 * @returns {number} the innermost node of the application; the innermost of a package, if none is; the innermost, if all are Node's or native
 */
function ownOf ({ parent, script, texts, package: packageOf }, stack) {
  let packages = 0
  for (let node = stack; node !== 0; node = parent[node]) {
    const file = texts[script[node]]
    if (file === '' || /^(node|native):/.test(file)) continue
    if (packageOf[node] === 0) return node
    packages ||= node
  }
  return packages || stack
}

/** @param {Tree} tree @param {number} node */
function frameOf ({ function: names, script, line, column, package: packageOf, packages, texts }, node) {
  return { function: texts[names[node]], script: texts[script[node]], line: line[node], column: column[node], package: packages[packageOf[node]] }
}

/** @param {Map<string, Sum>} sums @param {ReturnType<typeof frameOf>} frame @param {number[]} times */
function add (sums, { function: name, script, line, column, package: its }, times) {
  const key = JSON.stringify([name, script, its, name === '' ? line : 0])
  const sum = sums.get(key) ?? { function: name, script, package: its, ...Object.fromEntries(times.map((_, i) => [TIMES[i], 0])), places: new Map() }
  sums.set(key, sum)
  times.forEach((ns, i) => { sum[TIMES[i]] += ns })
  const place = sum.places.get(`${line}:${column}`) ?? { line, column, ns: 0 }
  sum.places.set(`${line}:${column}`, place)
  place.ns += times[0] + times[1]
}

/** @param {Sum} sum @returns {Record<string, any>} where most of it was sampled */
function told ({ function: name, script, package: its, places, ...times }) {
  const { line, column } = Array.from(places.values()).reduce((most, place) => place.ns > most.ns ? place : most)
  return { function: name, script: script || null, line: line || null, column: column || null, package: its, ...times }
}

module.exports = { functionsOf }
