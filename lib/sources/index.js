'use strict'

// Stacks are recorded by the files that run. Here they are told by their
// sources, where the scripts have source maps, and by their packages.

const { functionsOf } = require('./functions')
const { packages } = require('./packages')
const { Unreadable } = require('./regular-file')
const { sourceMapOf } = require('./source-map')

/** @typedef {Record<string, any>} Json */
/** @typedef {{ script: string, why: string, places: number }} Unmapped places: that its map did tell */

/**
 * @param {Json} stacks of a report, with every stack (docs/report-json.md)
 * @param {{ sourceMaps: boolean, whole: boolean }} options whole: with every stack, too
 * @returns {Json}
 */
function mapStacks ({ causes, tree: recorded, ...about }, { sourceMaps, whole }) {
  const { tree: mapped, unmapped } = sourceMaps ? bySources(recorded) : { tree: recorded, unmapped: [] }
  const tree = withPackages(mapped, recorded)
  return {
    ...about,
    causes: causes.map((/** @type {Json} */ { stacks: rows, ...cause }) => ({ ...cause, functions: functionsOf(tree, rows), ...whole && { stacks: rows } })),
    unmapped,
    ...whole && { tree }
  }
}

/** @param {Json} recorded @returns {{ tree: Json, unmapped: Unmapped[] }} */
function bySources (recorded) {
  const tree = { ...recorded, script: [...recorded.script], line: [...recorded.line], column: [...recorded.column], texts: [...recorded.texts] }
  const numberOf = numbering(tree.texts)
  const unmapped = []
  for (const [number, nodes] of nodesByScript(recorded)) {
    const script = recorded.texts[number]
    try {
      // One map at a time is in memory.
      const found = sourceMapOf(script)
      if (!found) continue
      const places = nodes.filter((node) => {
        const place = found.lookup(recorded.line[node], recorded.column[node])
        if (place) [tree.script[node], tree.line[node], tree.column[node]] = [numberOf(place.script), place.line, place.column]
        return place
      }).length
      if (places < nodes.length) unmapped.push({ script, why: `${found.where} has no source for ${nodes.length - places} of ${nodes.length} places`, places })
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      unmapped.push({ script, why: error.message, places: 0 })
    }
  }
  return { tree, unmapped }
}

/** @param {Json} tree @returns {Map<number, number[]>} the nodes whose place is known, by the number of their script */
function nodesByScript ({ script, line, column }) {
  /** @type {Map<number, number[]>} */
  const nodes = new Map()
  script.forEach((/** @type {number} */ number, /** @type {number} */ node) => {
    if (!(line[node] > 0 && column[node] > 0)) return
    const its = nodes.get(number)
    if (its) its.push(node)
    else nodes.set(number, [node])
  })
  return nodes
}

/** @param {string[]} texts @returns {(text: string) => number} its place among them, where it is put if need be */
function numbering (texts) {
  const numbers = new Map(texts.map((text, number) => [text, number]))
  return (text) => {
    const number = numbers.get(text) ?? texts.push(text) - 1
    numbers.set(text, number)
    return number
  }
}

/**
 * A source is of the package that it lies in, as what was bundled does; else of
 * its script's.
 *
 * @param {Json} tree
 * @param {Json} recorded the same by the files that ran
 * @returns {Json}
 */
function withPackages (tree, recorded) {
  const packageOf = packages()
  /** @type {(import('./packages').Package | null)[]} */
  const all = [null]
  const numbers = new Map([[all[0], 0]])
  const numberOf = (/** @type {import('./packages').Package | null} */ its) => {
    const number = numbers.get(its) ?? all.push(its) - 1
    numbers.set(its, number)
    return number
  }
  const ofNode = (/** @type {number} */ script, /** @type {number} */ node) =>
    numberOf(packageOf(tree.texts[script]) ?? packageOf(recorded.texts[recorded.script[node]]))
  return { ...tree, package: tree.script.map(ofNode), packages: all }
}

module.exports = { mapStacks }
