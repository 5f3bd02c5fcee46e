'use strict'

// The lines that Node's test runner prints, as far as they matter here.

/**
 * @param {string} line
 * @returns {{ plan?: number, result?: import('./runner').Result }} plan: how many tests there will be
 */
function readTapLine (line) {
  const plan = /^1\.\.(\d+)$/.exec(line)
  if (plan) return { plan: Number(plan[1]) }
  // The name is a path without its ending, or with it for what is no .js.
  const end = /^(not )?ok \d+ (\S+)( # skip\b.*)?/.exec(line)
  if (!end) return {}
  const outcome = end[1] ? 'failed' : end[3] ? 'skipped' : 'passed'
  return { result: { name: end[2], outcome } }
}

module.exports = { readTapLine }
