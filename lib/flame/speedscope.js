'use strict'

// The file format of speedscope.app: frames by number, and a weight a stack.

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json'

/** @param {import('./fold').Folded[]} folded @param {{ title: string, version: string }} options @returns {string} JSON */
function speedscope (folded, { title, version }) {
  /** @type {Map<string, number>} */
  const numbers = new Map()
  /** @type {any[]} */
  const frames = []
  const numberOf = (/** @type {import('./fold').Frame} */ { name: called, script, line, column }) => {
    const key = JSON.stringify([called, script, line, column])
    let number = numbers.get(key)
    if (number === undefined) {
      number = frames.push({ name: called, ...script && { file: script }, ...line > 0 && { line }, ...column > 0 && { col: column } }) - 1
      numbers.set(key, number)
    }
    return number
  }
  const samples = folded.map(({ frames: path }) => path.map(numberOf))
  const weights = folded.map(({ ns }) => Math.round(ns))
  const profile = { type: 'sampled', name: title, unit: 'nanoseconds', startValue: 0, endValue: weights.reduce((sum, weight) => sum + weight, 0), samples, weights }
  return JSON.stringify({ $schema: SCHEMA, shared: { frames }, profiles: [profile], name: title, activeProfileIndex: 0, exporter: `edgewise ${version}` })
}

module.exports = { speedscope }
