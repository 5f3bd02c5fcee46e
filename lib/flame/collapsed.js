'use strict'

// One line a stack, as flamegraph.pl, inferno and speedscope read it; of two
// numbers, that of the rest comes first (difffolded).

const { labelOf } = require('./label')

/** @param {import('./fold').Folded[]} folded @param {{ diff: boolean }} options @returns {string} microseconds of a request */
function collapsed (folded, { diff }) {
  const us = (/** @type {number} */ ns) => Math.round(ns / 1000)
  return folded.map(({ frames, ns, rest }) => {
    const numbers = diff ? [us(rest), us(ns)] : [us(ns)]
    return numbers.some((number) => number > 0) ? `${frames.map(labelOf).map((label) => label.replaceAll(';', ',')).join(';')} ${numbers.join(' ')}\n` : ''
  }).join('')
}

module.exports = { collapsed }
