'use strict'

// docs/compare-accuracy.md.

const { markdown } = require('../shared/markdown')

/**
 * @typedef {object} Kind shares of the pairs; lists: p50, p90, p99
 * @property {string} kind
 * @property {number} pairs
 * @property {number} refused
 * @property {number[]} differ
 * @property {number[]} standardised
 * @property {number[]} held
 * @property {number[]} naive
 * @property {number} ranks
 * @property {number[]} smallest
 */

/** 1.96 standard errors of a share of 5 %, of one pair. */
const CHANCE = 1.96 * Math.sqrt(0.05 * 0.95)

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`
const list = (/** @type {number[]} */ shares) => shares.map(percent).join(', ')

/** @param {Kind[]} kinds @returns {string} */
function page (kinds) {
  const rows = kinds.map(({ kind, refused, differ, standardised, naive, ranks }) =>
    [kind, list(differ), list(standardised), list(naive), percent(ranks), percent(refused)])
  const power = kinds.filter(({ kind }) => kind.startsWith('slower'))
  const powers = power.map(({ kind, differ }, i) => `${kind.replace('slower by the smallest effect of ', '')}: ${percent(kinds[0].smallest[i])}, told in ${percent(differ[i])}`)
  return `# How often comparisons are wrong

\`npm run bench:compare\` makes pairs of sides, ${kinds[0].pairs} of each kind: two routes, 200 requests a second for a minute, whose latencies remember those before them as a
loop does that is busy now and then. It compares each pair as \`src/compare\` does, by blocks of time, and beside it by two tests that take each request for independent:
a bootstrap of requests, and Mann and Whitney's test. Shares are of the pairs whose sides are said to differ with 95 % certainty. Blocks are drawn 1,000 times, and 200 times
with A's mixture; the command draws 10,000 and 2,000 times, which is a little surer.

${markdown(['pair', 'differ at p50, p90, p99', 'with A\'s mixture of routes', 'requests drawn one by one', 'Mann-Whitney', 'refused: too short'], rows).join('\n')}

- Of what is the same, 5 % is right: of so many pairs between ${percent(0.05 - CHANCE / Math.sqrt(kinds[0].pairs))} and ${percent(0.05 + CHANCE / Math.sqrt(kinds[0].pairs))}, by chance.
- "Another mixture": no route is slower, but more requests are of the slow one. With A's mixture nothing is left of it.
- "Wider, of the same median" and "one in 50 a hundred times as long": the tail is longer. Mann and Whitney's test looks at the middle.

Each comparison prints the smallest effect that it would show in four of five cases. Where B is slower by just that: ${powers.join('; ')}.
`
}

module.exports = { page }
