'use strict'

// Where things are in this checkout, and which of them changed when.

const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.resolve(__dirname, '..', '..')
const BUILD = path.join(ROOT, 'build')
const CACHE = path.join(ROOT, '.cache')

/**
 * Every file and directory below some places, node_modules left out.
 * @param {string[]} places paths relative to the root; those that do not exist are passed over
 * @returns {Generator<{file: string, stat: fs.Stats}>} absolute paths
 */
function * walk (places) {
  for (const place of places) {
    const file = path.resolve(ROOT, place)
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (!stat) continue
    yield { file, stat }
    if (!stat.isDirectory()) continue
    const names = fs.readdirSync(file).filter(name => name !== 'node_modules' && !name.startsWith('.'))
    yield * walk(names.map(name => path.join(file, name)))
  }
}

/**
 * When the newest of some files changed. A directory counts too: it changes
 * when a file in it is added, renamed or removed.
 * @param {string[]} places paths relative to the root
 * @returns {number} milliseconds since the epoch; 0 when there is nothing
 */
function newestChangeMs (places) {
  let newest = 0
  for (const { stat } of walk(places)) newest = Math.max(newest, stat.mtimeMs)
  return newest
}

/**
 * When a product was made.
 * @param {string} file absolute path
 * @returns {number} milliseconds since the epoch; -1 when it is not there
 */
function madeMs (file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1
}

module.exports = { ROOT, BUILD, CACHE, walk, newestChangeMs, madeMs }
