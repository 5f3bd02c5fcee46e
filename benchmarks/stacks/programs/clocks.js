'use strict'

// Apart from the functions that are told: the time in these is no function's.

const fs = require('node:fs')

const clock = process.hrtime.bigint

/**
 * What the calling thread has had: `wallNs` less the time for which it was
 * ready and another thread had its processor, which the kernel keeps.
 * @returns {{ ranNs: bigint, wallNs: bigint }} of some moment in the past on
 */
function readClocks () {
  const waitedNs = BigInt(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1])
  const wallNs = clock()
  return { ranNs: wallNs - waitedNs, wallNs }
}

/** When so many milliseconds are over, of clock(). */
const inMs = (/** @type {number} */ ms) => clock() + BigInt(Math.round(ms * 1e6))

module.exports = { clock, inMs, readClocks }
