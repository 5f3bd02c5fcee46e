'use strict'

// The JavaScript functions that ran while the tail waited for the loop, and
// while it ran itself.

const path = require('node:path')
const { columns } = require('./layout')
const { isNumber, percent, time } = require('./units')

/** @typedef {Record<string, any>} Json */
/** @typedef {import('./layout').Style} Style */

const MOST_CAUSES = 5
const MOST_FUNCTIONS = 3
const WORTH_TELLING = 0.02 // Of all that was sampled in the tail.

const ofTail = (/** @type {Json} */ weights) => (weights.tail_wait_ns ?? 0) + (weights.tail_exec_ns ?? 0)

/** @param {Json} report @param {Style} style */
function functions ({ stacks }, style) {
  const causes = (stacks?.causes ?? []).map((/** @type {Json} */ cause) => ({ ...cause, ns: ofTail(cause) }))
  const all = causes.reduce((/** @type {number} */ sum, /** @type {Json} */ { ns }) => sum + ns, 0)
  if (all === 0) return ''
  const shown = causes.filter((/** @type {Json} */ { ns, functions: of }) => ns > WORTH_TELLING * all && of.length > 0).slice(0, MOST_CAUSES)
  const rows = shown.flatMap((/** @type {Json} */ cause) => cause.functions.slice(0, MOST_FUNCTIONS)
    .filter((/** @type {Json} */ of) => ofTail(of) > WORTH_TELLING * cause.ns)
    .map((/** @type {Json} */ of, /** @type {number} */ i) => [
      i === 0 ? cause.what : '', nameOf(of), placeOf(of), percent(ofTail(of) / cause.ns), time(of.tail_wait_ns), time(of.tail_exec_ns)
    ]))
  return columns(['<what ran while the tail waited or ran', '<function', '<where', 'share', 'it waited', 'it ran'], rows, style)
}

/** @param {Json} of @returns {string} */
function nameOf ({ function: name }) {
  return name || '(anonymous)'
}

/** @param {Json} of @returns {string} its file, as near as says which: with its package, or its directory */
function placeOf ({ script, line }) {
  if (!script) return ''
  const file = script.replace(/^file:\/\//, '')
  const inPackage = file.split('/node_modules/').at(-1)
  const short = inPackage !== file || file.startsWith('node:') ? inPackage : file.split(path.sep).slice(-2).join(path.sep)
  return isNumber(line) ? `${short}:${line}` : short
}

module.exports = { functions, nameOf, placeOf }
