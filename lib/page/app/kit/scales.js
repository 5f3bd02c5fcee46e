'use strict'

// Axes: time from left to right, latency upwards by its logarithm.

/** @typedef {{ to: (value: number) => number, from: (pixel: number) => number, least: number, most: number }} Scale */

/** @param {number} least @param {number} most @param {number} begin pixel @param {number} end pixel @returns {Scale} */
function linear (least, most, begin, end) {
  const unit = (end - begin) / (most - least || 1)
  return { to: (value) => begin + (value - least) * unit, from: (pixel) => least + (pixel - begin) / unit, least, most }
}

/** @param {number} least above 0 @param {number} most @param {number} begin @param {number} end @returns {Scale} */
function logarithmic (least, most, begin, end) {
  const inner = linear(Math.log(least), Math.log(most), begin, end)
  return { to: (value) => inner.to(Math.log(Math.max(value, least))), from: (pixel) => Math.exp(inner.from(pixel)), least, most }
}

/** @param {number} least @param {number} most @returns {number[]} powers of ten, and between them what fits */
function logTicks (least, most) {
  const ticks = []
  const steps = Math.log10(most / least) > 3 ? [1] : [1, 2, 5]
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    for (const step of steps) if (power * step >= least && power * step <= most) ticks.push(power * step)
  }
  return ticks
}

/** @param {number} least @param {number} most @param {number} about how many @returns {number[]} round numbers */
function ticks (least, most, about) {
  const rough = (most - least) / Math.max(1, about)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((by) => by * power).find((each) => each >= rough) ?? rough
  const found = []
  for (let i = Math.ceil(least / step); i * step <= most; i++) found.push(i * step)
  return found
}

const UNITS = /** @type {const} */ ([[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']])

/** @param {number} ns @returns {string} of three digits */
function duration (ns) {
  if (ns === 0) return '0'
  const size = Math.abs(ns)
  const [unit, name] = UNITS.find(([least]) => size >= least * 0.9995) ?? UNITS[3]
  const digits = Math.max(0, 2 - Math.floor(Math.log10(size / unit) + 1e-9))
  return `${(ns / unit).toFixed(unit === 1 ? 0 : Math.min(2, digits))} ${name}`
}

/** @param {number} ns @returns {string} of a difference */
const signed = (ns) => ns > 0 ? `+${duration(ns)}` : ns < 0 ? `−${duration(-ns)}` : '0'

/** @param {number} share @returns {string} */
const percent = (share) => share !== 0 && Math.abs(share) < 0.001 ? '<0.1 %' : `${(share * 100).toFixed(Math.abs(share) < 0.1 ? 1 : 0)} %`

module.exports = { duration, linear, logTicks, logarithmic, percent, signed, ticks }
