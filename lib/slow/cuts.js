'use strict'

// By how much the target is to be faster, as the command line says it.

const { time } = require('../report/units')

/** @typedef {{ ns: number } | { share: number }} Asked of the processor time that a request takes it */

const UNITS = /** @type {Record<string, number>} */ ({ ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 })

/** @param {string} text such as 200us,50% @returns {Asked[] | null} null: it is none */
function parseCuts (text) {
  const parsed = text.split(',').map((part) => {
    const [, value, unit] = /^-?(\d+(?:\.\d+)?)(ns|us|µs|ms|s|%)$/.exec(part) ?? []
    if (!(Number(value) > 0)) return null
    if (unit !== '%') return { ns: Number(value) * UNITS[unit] }
    return Number(value) <= 100 ? { share: Number(value) / 100 } : null
  })
  return parsed.includes(null) ? null : /** @type {Asked[]} */ (parsed)
}

/**
 * @param {Asked[]} asked
 * @param {number} targetNs of a processor, that a request takes the target
 * @returns {{ name: string, ns: number }[]}
 */
function cutsOf (asked, targetNs) {
  return asked.map((cut) => {
    const ns = 'ns' in cut ? cut.ns : cut.share * targetNs
    return { name: 'ns' in cut ? time(ns) : `${Math.round(100 * cut.share)} % (${time(ns)})`, ns }
  })
}

module.exports = { cutsOf, parseCuts }
