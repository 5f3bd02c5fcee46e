'use strict'

// What is compiled of each part of src/: its files one by one, or all of them
// at once, which takes a third of the time where nothing is built yet. Where
// one file was changed, one by one is faster: BUILD_BY_FILE=1 asks for it.

const fs = require('node:fs')
const path = require('node:path')
const { ROOT } = require('./tree')

const LISTS = path.join('src', 'sources.gypi')

/** @returns {boolean} */
function compilesUnits () {
  return process.env.BUILD_BY_FILE !== '1'
}

/** @returns {Record<string, string[]>} of each part of src/, its files, relative to the root */
function sourceLists () {
  const text = fs.readFileSync(path.join(ROOT, LISTS), 'utf8')
  const lists = [...text.matchAll(/"(\w+)_sources": \[([^\]]*)\]/g)]
  return Object.fromEntries(lists.map(([, part, files]) => [part, [...files.matchAll(/"([^"]+)"/g)].map(([, file]) => file)]))
}

/**
 * Writes a file for each part of src/ that includes all of the part's.
 * @param {string} directory
 * @returns {Record<string, string>} the file of each part, relative to the directory
 */
function writeUnits (directory) {
  fs.mkdirSync(path.join(directory, 'units'), { recursive: true })
  const units = Object.entries(sourceLists()).map(([part, files]) => {
    const unit = path.join('units', `${part}.cc`)
    writeChanged(path.join(directory, unit), files.map(file => `#include "${path.relative('src', file)}"\n`).join(''))
    return [part, unit]
  })
  return Object.fromEntries(units)
}

/**
 * Writes sources.gypi, which binding.gyp includes, into the directory that
 * node-gyp runs in.
 * @param {string} directory
 */
function writeSourceLists (directory) {
  const lists = compilesUnits()
    ? Object.entries(writeUnits(directory)).map(([part, unit]) => [part, [unit]])
    : Object.entries(sourceLists())
  const variables = Object.fromEntries(lists.map(([part, files]) => [`${part}_sources`, files]))
  writeChanged(path.join(directory, 'sources.gypi'), `${JSON.stringify({ variables }, null, 2)}\n`)
}

// A file that says the same keeps its time.
function writeChanged (file, text) {
  if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) fs.writeFileSync(file, text)
}

module.exports = { compilesUnits, sourceLists, writeSourceLists, writeUnits }
