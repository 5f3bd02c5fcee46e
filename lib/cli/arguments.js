'use strict'

// What a flag's value may be. commander puts the flag and the value before
// these texts, and exits with 2.

const { InvalidArgumentError } = require('commander')

const DECIMAL = /^\d+(\.\d+)?$/
const WHOLE = /^\d+$/

/** @param {string} text @returns {number} in (0, 100), exclusive */
function percentile (text) {
  const value = DECIMAL.test(text) ? Number(text) : NaN
  if (!(value > 0 && value < 100)) throw new InvalidArgumentError('Allowed is a number above 0 and below 100, such as 99.9.')
  return value
}

/** @param {string} text @returns {number} in seconds */
function seconds (text) {
  const value = DECIMAL.test(text) ? Number(text) : NaN
  // setTimeout() takes at most 2^31 - 1 ms, and fires at once beyond.
  if (!(value > 0 && value <= 2_000_000)) throw new InvalidArgumentError('Allowed is a number of seconds above 0 and at most 2000000, such as 30 or 0.5.')
  return value
}

/** @param {string} text */
function port (text) {
  const value = WHOLE.test(text) ? Number(text) : NaN
  if (!(value >= 1 && value <= 65535)) throw new InvalidArgumentError('Allowed is a port number from 1 to 65535.')
  return value
}

/** @param {string} text */
function processId (text) {
  const value = WHOLE.test(text) ? Number(text) : NaN
  if (!(value >= 1 && value <= 2 ** 22)) throw new InvalidArgumentError('Allowed is a process id, a whole number above 0.')
  return value
}

/** @param {string} text a request or thread id, or a count */
function count (text) {
  const value = WHOLE.test(text) ? Number(text) : NaN
  if (!(value <= 0xFFFFFFFF)) throw new InvalidArgumentError('Allowed is a whole number from 0 to 4294967295.')
  return value
}

/** @param {string} text @returns {number[]} MiB */
function youngSizes (text) {
  const sizes = text.split(',').map((size) => WHOLE.test(size) ? Number(size) : NaN)
  if (!sizes.every((size) => size >= 1 && size <= 1024 && Number.isInteger(Math.log2(size)))) {
    throw new InvalidArgumentError('Allowed are powers of two from 1 to 1024 (MiB; V8 rounds up to them), separated by commas.')
  }
  return sizes
}

/** @param {string} text @returns {number[]} MiB */
function oldSizes (text) {
  if (text === 'none') return []
  const sizes = text.split(',').map((size) => WHOLE.test(size) ? Number(size) : NaN)
  if (!sizes.every((size) => size >= 16 && size <= 2 ** 20)) {
    throw new InvalidArgumentError('Allowed are whole numbers from 16 to 1048576 (MiB), separated by commas, or none.')
  }
  return sizes
}

/** @param {string} text @returns {number} requests a second */
function rate (text) {
  const value = DECIMAL.test(text) ? Number(text) : NaN
  if (!(value >= 0.001 && value <= 1e6)) throw new InvalidArgumentError('Allowed is a number of requests a second from 0.001 to 1000000.')
  return value
}

/** @param {string} text @param {string[]} [before] @returns {string[]} paths of a server, one more */
function paths (text, before = []) {
  if (!/^\/[^\s]*$/.test(text)) throw new InvalidArgumentError('Allowed is a path such as /todos?page=1: the host is that of the server.')
  return [...before, text]
}

/** @param {string} text a name that must not be empty */
function name (text) {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return text
}

/** @param {string} text @param {string[]} [before] @returns {string[]} one name more */
const names = (text, before = []) => [...before, name(text)]

/** @param {string} text @returns {number} seconds, also none */
function warmUp (text) {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Allowed is a number of seconds, such as 5.')
  return Number(text)
}

module.exports = { count, name, names, oldSizes, paths, percentile, port, processId, rate, seconds, warmUp, youngSizes }
