'use strict'

// What the requests of this thread take, as they are recorded: an analysis on a
// thread of its own, which the first to ask begins.

const binding = require('../native/binding')

/** @type {null | { follow: (file: string) => void, read: () => string, stop: () => void }} */
let live = null

/** @type {string | undefined} */
let followed

/** @type {string | null} why it cannot be followed */
let refused = null

/**
 * @param {string | undefined} file that this thread records to; undefined: none
 * @returns {{ found: Record<string, any> } | { refused: string } | null} null: nothing was recorded yet
 */
function liveRequests (file) {
  if (file !== undefined && file !== followed) {
    followed = file
    refused = follow(file)
  }
  if (refused !== null) return { refused }
  return live && { found: JSON.parse(live.read()) }
}

function follow (/** @type {string} */ file) {
  try {
    const metrics = live ??= binding.loadReporter().liveMetrics()
    metrics.follow(file)
    return null
  } catch (error) {
    return error.message
  }
}

module.exports = { liveRequests }
