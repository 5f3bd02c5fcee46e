'use strict'

// Where the patched Node is: built from patches/ by `npm run build:node`, and
// found again by what it was built from.

const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const PATCHES = path.join(__dirname, '..', '..', 'patches')
const GROUPS = ['v8', 'uv', 'node']
const HOW_TO_BUILD = 'npm run build:node'

/**
 * @typedef {object} PatchedNode
 * @property {string} hash of patches/: the tree that is patched, and the series
 * @property {string} file the program, there or not
 * @property {boolean} built
 * @property {string} howToBuild
 */

/**
 * The Node that belongs to the patches as they are now.
 *
 * @param {{patches?: string, cache?: string, variant?: string}} [options] patches: their directory; cache: a
 *   directory that holds all builds; variant: 'debug' or 'unpatched', none: the one that is used
 * @returns {PatchedNode}
 */
function findPatchedNode ({ patches = PATCHES, cache = cacheDirectory(), variant = '' } = {}) {
  const hash = seriesHash(patches, variant === 'unpatched' ? [] : GROUPS)
  const name = variant ? `${hash}-${variant}` : hash
  const file = path.join(cache, 'node', name, 'bin', 'node')
  return { hash, file, built: fs.existsSync(file), howToBuild: variant ? `${HOW_TO_BUILD} -- --${variant}` : HOW_TO_BUILD }
}

/** What all checkouts of a user share: sources, compiled objects, built Nodes. */
function cacheDirectory () {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homeDirectory(), '.cache'), 'edgewise')
}

// A container's user may have neither HOME nor an entry in /etc/passwd.
function homeDirectory () {
  try {
    return os.homedir()
  } catch {
    return path.join(__dirname, '..', '..')
  }
}

// The order and content of the patches, and what they apply to.
function seriesHash (patches, groups) {
  const hash = crypto.createHash('sha256')
  const add = (name) => {
    const content = fs.readFileSync(path.join(patches, name))
    hash.update(`${name} ${content.length}\n`).update(content)
  }
  add('base.json')
  for (const group of groups) {
    for (const name of readSeries(path.join(patches, group))) add(path.join(group, name))
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * @param {string} directory of a group of patches
 * @returns {string[]} the names of its patches, in the order in which they apply
 */
function readSeries (directory) {
  const text = fs.readFileSync(path.join(directory, 'series'), 'utf8')
  return text.split('\n').filter((line) => line && !line.startsWith('#'))
}

module.exports = { GROUPS, PATCHES, cacheDirectory, findPatchedNode, readSeries }
