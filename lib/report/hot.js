'use strict'

const { placeOf } = require('./place')

/** @typedef {Record<string, any>} Json */

/** A function that has less of it does not explain it. */
const WORTH_NAMING = 0.25

/**
 * @param {Json | null | undefined} stacks of a report
 * @param {(cause: Json) => boolean} chosen of its causes
 * @param {'tail_wait_ns' | 'tail_exec_ns'} key whose time counts
 * @returns {string} the function that has most of it, as '61 % of it in compose, changeset.ts:412'; '': none has much, or nothing was sampled
 */
function hottest (stacks, chosen, key) {
  const causes = (stacks?.causes ?? []).filter(chosen)
  const all = causes.reduce((/** @type {number} */ sum, /** @type {Json} */ cause) => sum + cause[key], 0)
  /** @type {Map<string, { name: string, places: Map<string, number>, ns: number }>} */
  const functions = new Map()
  for (const of of causes.flatMap((/** @type {Json} */ cause) => cause.functions)) {
    const id = JSON.stringify([of.function, of.script, of.function ? 0 : of.line])
    const where = placeOf(of)
    const found = functions.get(id) ?? { name: of.function || 'a function without a name', places: new Map(), ns: 0 }
    functions.set(id, found)
    found.ns += of[key]
    found.places.set(where, (found.places.get(where) ?? 0) + of[key])
  }
  const [first] = Array.from(functions.values()).sort((a, b) => b.ns - a.ns)
  if (!first || !(first.ns > WORTH_NAMING * all)) return ''
  const [[where]] = Array.from(first.places).sort((a, b) => b[1] - a[1])
  return `${Math.round(100 * first.ns / all)} % of it in ${first.name}${where ? `, ${where}` : ''}`
}

module.exports = { hottest }
