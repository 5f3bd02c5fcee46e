'use strict'

// Colours that people tell apart, also those who do not see red and green.

/** Viridis, in steps. */
const RAMP = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]]

/** @param {number} share 0 to 1 @returns {[number, number, number]} */
function ramp (share) {
  const at = share * (RAMP.length - 1)
  const low = Math.min(RAMP.length - 2, Math.floor(at))
  const mixed = RAMP[low].map((value, i) => Math.round(value + (RAMP[low + 1][i] - value) * (at - low)))
  return [mixed[0], mixed[1], mixed[2]]
}

/** Of Okabe and Ito, without yellow and black. */
const ROUTES = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8e7cc3', '#7f9c3b']
const FIXED = /** @type {Record<string, string>} */ ({ gc: '#6e7781', event: '#afb8c1' })

/** @param {{ kind: string, route?: string }} blocker @param {Map<string, number>} ranks of routes @returns {string} */
function colourOf ({ kind, route }, ranks) {
  return FIXED[kind] ?? ROUTES[(ranks.get(route ?? '') ?? 0) % ROUTES.length]
}

module.exports = { colourOf, ramp }
