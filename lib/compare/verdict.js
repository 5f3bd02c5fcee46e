'use strict'

// What a comparison (docs/compare.md) comes to: one sentence, and whether a budget is kept.

const { signed } = require('../report/units')

/** @typedef {Record<string, any>} Json */
/** @typedef {{ value: number, low: number, high: number }} Change B / A - 1, with its 95 % interval */
/** @typedef {{ percentile: string, most: number }} Budget B's percentile may be so much longer: p99, 0.05 */
/** @typedef {'kept' | 'exceeded' | 'undecided' | 'refused'} Outcome */

/** Told first, if there is no budget: the tail, if it is known. */
const FIRST = ['p99', 'p90', 'p50', 'p99.9']

/** @param {Json} found @param {string} [wanted] @returns {string | undefined} the percentile that the sentence is about */
function spokenOf ({ percentiles }, wanted) {
  const known = (/** @type {string} */ name) => typeof percentiles[name]?.change?.low === 'number'
  if (wanted) return known(wanted) ? wanted : undefined
  return FIRST.find(known)
}

/** @param {Json} found @param {string} [wanted] a percentile @returns {string} */
function sentence (found, wanted) {
  const spoken = spokenOf(found, wanted)
  if (found.refused.length > 0) return `No verdict: ${found.refused[0]}.`
  if (!spoken) return `No verdict: ${found.untold[0] ?? 'there are too few requests'}.`
  const { change, a_a: same } = found.percentiles[spoken]
  return `B's ${spoken} is ${howMuch(change)}; A/A ${signed(same?.value)} ${between(same)}.`
}

/** @param {Change} change @returns {string} never "no difference" */
function howMuch ({ value, low, high }) {
  if (low > 0) return `${signed(value).replace('+', '')} ${between({ low, high })} slower`
  if (high < 0) return `${signed(-value).replace('+', '')} ${between({ low: -high, high: -low })} faster`
  return `within ${between({ low, high })} of A's`
}

/** @param {{ low: number | null, high: number | null } | null} change */
function between (change) {
  return change ? `[${signed(change.low)}, ${signed(change.high)}]` : '[unavailable]'
}

/**
 * @param {Json} found
 * @param {Budget} budget
 * @returns {{ outcome: Outcome, why: string }}
 */
function judge (found, { percentile, most }) {
  const budget = `B's ${percentile} may be ${signed(most)}`
  if (found.refused.length > 0) return { outcome: 'refused', why: `${budget}: ${found.refused[0]}` }
  if (!spokenOf(found, percentile)) return { outcome: 'refused', why: `${budget}: ${found.untold.find((/** @type {string} */ why) => why.startsWith(`${percentile} `)) ?? `${percentile} is not known`}` }
  const { change } = found.percentiles[percentile]
  const outcome = change.high <= most ? 'kept' : change.low > most ? 'exceeded' : 'undecided'
  return { outcome, why: `${budget}, and it is within ${between(change)}: ${{ kept: 'kept', exceeded: 'exceeded', undecided: 'undecided, record longer' }[outcome]}` }
}

/** @param {string} text @returns {Budget | null} of "+5 % p99"; null: it is none */
function budgetOf (text) {
  const [, share, percentile] = /^([+-]?\d+(?:\.\d+)?) ?% ?(p(?:50|90|99|99\.9))$/.exec(text.trim()) ?? []
  return percentile === undefined ? null : { percentile, most: Number(share) / 100 }
}

module.exports = { between, budgetOf, judge, sentence, spokenOf }
