'use strict'

const { fileURLToPath } = require('node:url')

/** @param {import('./fold').Frame} frame @returns {string} its function and where it is, on one line */
function labelOf ({ name, script, line }) {
  const shown = name.replaceAll(/\s+/g, ' ')
  return script ? `${shown} (${placeOf(script)}${line > 0 ? `:${line}` : ''})` : shown
}

/** @param {string} script @returns {string} from its package on; the last two names of another path */
function placeOf (script) {
  const file = pathOf(script)
  const inside = file.split('/node_modules/')
  return inside.length > 1 ? String(inside.at(-1)) : file.startsWith('node:') ? file : file.split('/').slice(-2).join('/')
}

function pathOf (/** @type {string} */ script) {
  try {
    return script.startsWith('file://') ? fileURLToPath(script) : script
  } catch {
    return script // A name that an application gave it.
  }
}

module.exports = { labelOf, placeOf }
