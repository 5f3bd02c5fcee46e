'use strict'

/** @returns {number} CLOCK_MONOTONIC, ns, the clock of all processes and of the report; exact for 104 days after boot */
function now () {
  return Number(process.hrtime.bigint())
}

/**
 * When a timer set now is due: libuv counts whole milliseconds.
 * @param {number} ms
 */
function dueAfter (ms) {
  return (Math.floor(now() / 1e6) + ms) * 1e6
}

/** Computes for `ms`, by the clock. @param {number} ms */
function spin (ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

module.exports = { dueAfter, now, spin }
