'use strict'

const path = require('node:path')
const { fileURLToPath } = require('node:url')

/** @typedef {{ name: string, version: string | null } | null} Package */

/**
 * @param {{ script?: string | null, line?: number | null, package?: Package }} frame of a stack
 * @returns {string} its file and its line, `express@5.1.0 lib/router.js:12`; of no package the last two names of its path; '': not known
 */
function placeOf ({ script, line, package: its }) {
  if (!script) return ''
  if (script.startsWith('native:')) return path.basename(script)
  const file = pathOf(script)
  const inside = file.split('/node_modules/')
  const short = inside.length > 1 ? fromPackage(String(inside.at(-1)), its) : file.startsWith('node:') ? file : ofPackage(file.split('/').slice(-2).join('/'), its)
  return line ? `${short}:${line}` : short
}

/** @param {string} file `express/lib/router.js` @param {Package | undefined} its */
function fromPackage (file, its) {
  return its?.version ? ofPackage(file.split('/').slice(file.startsWith('@') ? 2 : 1).join('/'), its) : file
}

/** @param {string} file @param {Package | undefined} its */
function ofPackage (file, its) {
  return its ? `${its.name}${its.version ? `@${its.version}` : ''} ${file}` : file
}

function pathOf (/** @type {string} */ script) {
  try {
    return script.startsWith('file://') ? fileURLToPath(script) : script
  } catch {
    return script // A name that an application gave it.
  }
}

module.exports = { placeOf }
