'use strict'

const { fileURLToPath } = require('node:url')

/**
 * @param {{ script?: string | null, line?: number | null }} frame of a stack
 * @returns {string} its file, from its package on, or the last two names of its path, and its line; '': not known
 */
function placeOf ({ script, line }) {
  if (!script) return ''
  const file = pathOf(script)
  const inside = file.split('/node_modules/')
  const short = inside.length > 1 ? String(inside.at(-1)) : file.startsWith('node:') ? file : file.split('/').slice(-2).join('/')
  return line ? `${short}:${line}` : short
}

function pathOf (/** @type {string} */ script) {
  try {
    return script.startsWith('file://') ? fileURLToPath(script) : script
  } catch {
    return script // A name that an application gave it.
  }
}

module.exports = { placeOf }
