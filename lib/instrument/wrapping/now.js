'use strict'

// What stands in a framework's place stays there when recording ends: each asks
// here whether this thread records.

/** @type {{ recording: import('../servers/requests').Recording | null, promises: boolean }} promises: whether their causality is followed in JavaScript */
const now = { recording: null, promises: false }

/**
 * @template {any[]} Values
 * @param {(...values: Values) => void} tell
 * @returns {(...values: Values) => void} the same, while this thread records; what it throws is nobody's
 */
function whileRecording (tell) {
  return (...values) => {
    if (now.recording === null) return
    try {
      tell(...values)
    } catch { /* A framework that keeps its things otherwise: its requests go by their paths. */ }
  }
}

module.exports = { now, whileRecording }
