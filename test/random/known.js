'use strict'

// What is told wrongly today, by kind, and why. Programs of these kinds run and
// are reported, and fail nothing. The table is to become empty; a bound is never
// loosened instead.

/** @type {{ kind: RegExp, why: string }[]} */
const KNOWN = []

/** @param {string} kind @returns {string | undefined} why it is told wrongly, if that is known */
function whyKnown (kind) {
  return KNOWN.find((each) => each.kind.test(kind))?.why
}

module.exports = { KNOWN, whyKnown }
