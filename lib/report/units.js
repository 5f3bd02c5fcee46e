'use strict'

// Numbers as people read them. What was not observed is said so, never 0.

const UNAVAILABLE = 'unavailable'

const TIMES = [
  { unit: 's', ns: 1e9 },
  { unit: 'ms', ns: 1e6 },
  { unit: 'µs', ns: 1e3 },
  { unit: 'ns', ns: 1 }
]

/** @typedef {number | null | undefined} Maybe a number, or null for what was not observed */

/**
 * @param {Maybe} ns
 * @param {number} [digits] significant ones
 * @returns {string} in the largest unit that leaves a number of at least 1
 */
function time (ns, digits = 3) {
  if (!isNumber(ns)) return UNAVAILABLE
  const size = Math.abs(ns)
  if (size === 0) return '0'
  const at = TIMES.findIndex((candidate) => size >= candidate.ns)
  let scale = TIMES[at < 0 ? TIMES.length - 1 : at]
  // 999.7 µs is 1,000 µs in three digits: that is 1.00 ms.
  const above = TIMES[TIMES.indexOf(scale) - 1]
  if (above && Number((size / scale.ns).toPrecision(digits)) >= 1000) scale = above
  return `${significant(ns / scale.ns, digits)} ${scale.unit}`
}

/**
 * @param {Maybe} ns
 * @returns {string} with its sign, as a difference
 */
function difference (ns) {
  return isNumber(ns) && ns > 0 ? `+${time(ns)}` : time(ns)
}

/**
 * @param {number} value
 * @param {number} digits
 */
function significant (value, digits) {
  const size = Math.abs(Number(value.toPrecision(digits))) // 9.996 is 10.0.
  const before = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1
  const text = value.toFixed(Math.max(0, digits - before))
  return size >= 10_000 ? count(Number(text)) : text
}

/** @param {Maybe} value */
function count (value) {
  return isNumber(value) ? Math.round(value).toLocaleString('en-US') : UNAVAILABLE
}

/**
 * @param {Maybe} share 0 to 1
 * @returns {string}
 */
function percent (share) {
  if (!isNumber(share)) return UNAVAILABLE
  const value = 100 * share
  if (value > 0 && value < 0.1) return '<0.1 %'
  return `${value === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} %`
}

/**
 * @param {Maybe} ratio B / A - 1
 * @returns {string} as a change in per cent, with its sign
 */
function signed (ratio) {
  if (!isNumber(ratio)) return UNAVAILABLE
  const value = 100 * ratio
  const text = Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0)
  return Number(text) === 0 ? '0 %' : `${value > 0 ? '+' : ''}${text} %`
}

/** @param {Maybe} bytes */
function size (bytes) {
  if (!isNumber(bytes)) return UNAVAILABLE
  if (bytes < 1024) return `${count(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

/**
 * @param {Maybe} number
 * @param {string} one
 * @param {string} [many]
 */
function counted (number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`
}

/**
 * @param {Maybe} value
 * @returns {value is number}
 */
function isNumber (value) {
  return typeof value === 'number' && Number.isFinite(value)
}

/**
 * @param {(value: number) => string} format
 * @param {{ low: number | null, high: number | null }} estimate of lib/statistics.js, or as JSON keeps it
 * @returns {string} its interval in brackets after a space; empty if there is none
 */
function bracketed (format, { low, high }) {
  return isNumber(low) && isNumber(high) ? ` [${format(low)}, ${format(high)}]` : ''
}

/** @param {{ threads: Maybe }} pool of a dependency @returns {string} what its queue is for */
function aThread ({ threads }) {
  if (!isNumber(threads)) return 'a pool thread'
  return threads === 1 ? 'the only pool thread' : `one of ${count(threads)} pool threads`
}

/** @param {Record<string, number> | null} [parts] ns, of a whole @returns {number} 0 where they are not known */
function sumOf (parts) {
  return Object.values(parts ?? {}).reduce((sum, ns) => sum + (ns ?? 0), 0)
}

/** @param {Record<string, any> | undefined} group of requests @returns {number | null} of its latency, the time for which threads did not run; null: not known */
function withheldShare (group) {
  return group?.not_running && group.mean_latency_ns > 0 ? sumOf(group.not_running) / group.mean_latency_ns : null
}

module.exports = { aThread, bracketed, UNAVAILABLE, count, counted, difference, isNumber, percent, signed, size, sumOf, time, withheldShare }
