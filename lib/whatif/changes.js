'use strict'

// What a user wants to be different, as the command line says it, as the changes that
// src/whatif/change.h knows.

/**
 * @typedef {object} Change
 * @property {string} kind of src/reporting/predicting.cc
 * @property {string} [route]
 * @property {string} [dependency]
 * @property {string} [function] until it is resolved (functions.js)
 * @property {number} [scale]
 * @property {number} [addNs]
 * @property {number} [bytes]
 * @property {number[]} [tierNs] latencies, by size
 * @property {number} [first] a wait, from 1
 * @property {number} [second]
 * @property {number} [count]
 */
/** @typedef {{ name: string, changes: Change[] }} Scenario */

const UNITS = /** @type {Record<string, number>} */ ({ ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 })

/** @param {string} text such as 2ms @returns {number} ns; NaN where it is none */
function duration (text) {
  const [, value, unit] = /^(\d+(?:\.\d+)?)(ns|us|µs|ms|s)$/.exec(text) ?? []
  return value === undefined ? NaN : Number(value) * UNITS[unit]
}

/** @param {string} text such as -50% or +20% @returns {number} what that multiplies by; NaN where it is none */
function relative (text) {
  const [, sign, value] = /^([-+])(\d+(?:\.\d+)?) ?%$/.exec(text) ?? []
  const scale = value === undefined ? NaN : 1 + Number(`${sign}${value}`) / 100
  return scale >= 0 ? scale : NaN
}

/** @param {string} text such as 50% or 0.5 @returns {number} NaN where it is none */
function share (text) {
  const [, value, percent] = /^(\d+(?:\.\d+)?) ?(%?)$/.exec(text) ?? []
  return value === undefined ? NaN : Number(value) / (percent ? 100 : 1)
}

/** Of what the options say, in their order: each route, dependency and function holds for what follows. */
class ChangeList {
  /** @type {Change[]} */
  changes = []
  /** @type {string[]} */
  texts = []
  /** @type {string | undefined} */
  route
  /** @type {string | undefined} */
  dependency
  /** @type {string | undefined} */
  function

  /** @param {string} text @param {Change} change */
  add (text, change) {
    this.texts.push(text)
    this.changes.push(change)
  }

  /** @returns {{ route?: string, dependency?: string, function?: string }} of what comes next */
  place () {
    return { ...this.route && { route: this.route }, ...this.dependency && { dependency: this.dependency }, ...this.function && { function: this.function } }
  }

  /** @param {string} what */
  placed (what) {
    return [this.route, this.dependency, this.function, what].filter(Boolean).join(': ')
  }

  /** @returns {Scenario[]} all of it together, if there is any */
  scenarios () {
    return this.changes.length > 0 ? [{ name: this.texts.join(', '), changes: this.changes }] : []
  }
}

/** How much of a change is made, for a curve. */
const CURVE = [0.1, 0.5, 1]

/**
 * @param {Scenario} scenario
 * @returns {Scenario[]} a tenth of it, half of it, and all; those that have no parts stay whole
 */
function curve ({ name, changes }) {
  return CURVE.map((part) => ({
    name: `${Math.round(100 * part)} % of ${name}`,
    changes: changes.map((change) => ({
      ...change,
      ...change.scale !== undefined && { scale: 1 + part * (change.scale - 1) },
      ...change.addNs !== undefined && { addNs: part * change.addNs }
    }))
  }))
}

module.exports = { ChangeList, curve, duration, relative, share }
