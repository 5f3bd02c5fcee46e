'use strict'

const { placeOf } = require('../report/place')

/** @param {import('./fold').Frame} frame @returns {string} its function and where it is, on one line */
function labelOf (frame) {
  const shown = frame.name.replaceAll(/\s+/g, ' ')
  return frame.script ? `${shown} (${placeOf(frame)})` : shown
}

module.exports = { labelOf }
