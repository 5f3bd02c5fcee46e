'use strict'

// The package that a file was installed with.

const { Unreadable, pathOf, textOf } = require('./regular-file')

/** Up to the last one: packages have packages, and pnpm keeps all of them in one more. */
const ROOT = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//

/** @typedef {{ name: string, version: string | null }} Package */

/** @returns {(script: string) => Package | null} each package is read once; null: it is of none */
function packages () {
  /** @type {Map<string, Package>} */
  const byRoot = new Map()
  return (script) => {
    const [, root, directory] = ROOT.exec(script) ?? []
    if (!root) return null
    const known = byRoot.get(root) ?? read(root, directory)
    byRoot.set(root, known)
    return known
  }
}

/** @param {string} root @param {string} directory its name, for want of another @returns {Package} */
function read (root, directory) {
  const text = (/** @type {unknown} */ value) => typeof value === 'string' && value !== '' ? value : null
  const installed = pathOf(root)
  try {
    const { name, version } = Object(JSON.parse(installed === null ? '{}' : textOf(`${installed}/package.json`)))
    return { name: text(name) ?? directory, version: text(version) }
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof SyntaxError)) throw error
    return { name: directory, version: null }
  }
}

module.exports = { packages }
