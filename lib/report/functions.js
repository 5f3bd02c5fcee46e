'use strict'

// The JavaScript functions that ran while the tail waited for the loop, and
// while it ran itself.

const { columns } = require('./layout')
const { placeOf } = require('./place')
const { percent, time } = require('./units')

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
      i === 0 ? cause.what : '', of.function || '(anonymous)', placeOf(of), percent(ofTail(of) / cause.ns), time(of.tail_wait_ns), time(of.tail_exec_ns)
    ]))
  return columns(['<what ran while the tail waited or ran', '<function', '<where', 'share', 'it waited', 'it ran'], rows, style)
}

module.exports = { functions }
