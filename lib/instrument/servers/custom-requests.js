'use strict'

// Requests that no HTTP server announces: what edgewise.request() is given, and
// what frameworks run for a message or a job.

const { KIND, OUTCOME } = require('./requests')

/** @typedef {() => import('./requests').Recording | null} Active what records now */

/**
 * @template T
 * @param {Active} active
 * @param {string} name
 * @param {() => T} fn
 * @returns {T} what it returns; of a promise, what its then() gives
 */
function runAsRequest (active, name, fn) {
  const end = begun(active, name)
  try {
    const result = /** @type {any} */ (fn())
    if (typeof result?.then === 'function') return followed(result, end)
    end(OUTCOME.finished)
    return result
  } catch (error) {
    end(OUTCOME.failed)
    throw error
  }
}

/** @param {Active} active @param {string} name @returns {(outcome: number) => void} ends the request that begins here */
function begun (active, name) {
  const now = active()
  if (!now) return () => {}
  const { calls, following, routes } = now
  following.begin()
  const id = calls.requestStart(KIND.custom)
  return (outcome) => {
    if (active()?.routes !== routes) return // That recording is over.
    calls.requestEnd(id, routes.numberOfPattern('', name), 0, outcome)
  }
}

// `then` is called once, recorded or not: a lazy thenable begins its work with
// each call. What it gives is the caller's, who is to handle a rejection.
function followed (result, end) {
  return result.then((value) => {
    end(OUTCOME.finished)
    return value
  }, (error) => {
    end(OUTCOME.failed)
    throw error
  })
}

module.exports = { begun, runAsRequest }
