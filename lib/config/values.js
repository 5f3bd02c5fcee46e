'use strict'

// How values are read: each returns undefined for what is not allowed.

const path = require('node:path')

/** Milliseconds that count in 64 bits as ns. */
const MAX_MS = 1_000_000_000

/** @param {...string} values */
function oneOf (...values) {
  return (/** @type {string} */ value) => values.includes(value) ? value : undefined
}

/** @param {string} value */
function flag (value) {
  return value === '1' ? true : value === '0' ? false : undefined
}

/** @param {number} most */
function positive (most) {
  return (/** @type {string} */ value) => {
    const number = plainNumber(value)
    return number !== undefined && number > 0 && number <= most ? number : undefined
  }
}

/**
 * Number() would take '', ' 1 ', '0x10' and 'Infinity' too.
 * @param {string} value
 */
function plainNumber (value) {
  if (!/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/**
 * @param {number} least
 * @param {number} most
 */
function between (least, most) {
  return (/** @type {string} */ value) => {
    const number = plainNumber(value)
    return number !== undefined && number >= least && number <= most ? number : undefined
  }
}

/**
 * @param {string} value
 * @param {{ cwd: string }} place '.' where the directory was removed: path.resolve() would ask for it and throw
 */
function file (value, { cwd }) {
  return path.isAbsolute(cwd) ? path.resolve(cwd, value) : path.normalize(value)
}

module.exports = { MAX_MS, between, file, flag, oneOf, plainNumber, positive }
