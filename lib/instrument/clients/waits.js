'use strict'

/** So many have waited, modulo 2^32. */
let waited = 0

/**
 * What is asked for is written later, where something else runs: so who asks is
 * told at once.
 * @param {import('../servers/requests').Recording['calls']} calls
 * @returns {number} by which its question is told, not 0
 */
function tellWait (calls) {
  waited = (waited + 1) >>> 0 || 1
  calls.waits(waited)
  return waited
}

module.exports = { tellWait }
