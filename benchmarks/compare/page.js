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
a bootstrap of requests, and Mann and Whitney's test. Shares are of the pairs whose sides are said to differ with 95 % certainty.

${markdown(['pair', 'differ at p50, p90, p99', 'with A\'s mixture of routes', 'requests drawn one by one', 'Mann-Whitney', 'refused: too short'], rows).join('\n')}

- Of what is the same, 5 % is right. What is more is a false alarm.
- "Another mixture": no route is slower, but more requests are of the slow one. With A's mixture nothing is left of it.
- "Wider, of the same median" and "one in 50 a hundred times as long": the tail is longer. Mann and Whitney's test looks at the middle.

Each comparison prints the smallest effect that it would show in four of five cases. Where B is slower by just that: ${powers.join('; ')}.
`
}

module.exports = { page }
