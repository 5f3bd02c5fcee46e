'use strict'

// What callgrind counted, by function: its own names, and those that V8 gave
// the code that it made.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')

/** @typedef {Map<string, number>} Counts instructions by function; of code that V8 made, its name begins with 'JS:' */

/**
 * @param {string} file that callgrind has written, of one thread
 * @param {string} map of V8's --perf-basic-prof
 * @returns {Counts}
 */
function readCounts (file, map) {
  const annotated = execFileSync('callgrind_annotate', ['--threshold=100', file], { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })
  return countsOf(annotated, codeOf(fs.readFileSync(map, 'utf8')))
}

/**
 * @param {string} annotated what callgrind_annotate prints
 * @param {(address: number) => string} codeAt the name of what V8 made there
 * @returns {Counts}
 */
function countsOf (annotated, codeAt) {
  /** @type {Counts} */
  const counts = new Map()
  for (const line of annotated.split('\n')) {
    const match = /^\s*([\d,]+) \([\d. ]+%\)\s+\S*?:(.*?)(?: \[.*\])?$/.exec(line)
    if (!match) continue
    const address = /^0x([0-9a-f]+)/.exec(match[2])
    const name = address ? codeAt(parseInt(address[1], 16)) : match[2].replace(/'\d+$/, '') // '2: of a recursion.
    counts.set(name, (counts.get(name) ?? 0) + Number(match[1].replaceAll(',', '')))
  }
  return counts
}

/**
 * @param {string} map lines of address, size, name
 * @returns {(address: number) => string} where code was replaced, the last there
 */
function codeOf (map) {
  const entries = map.split('\n').flatMap((line) => {
    const match = /^([0-9a-f]+) ([0-9a-f]+) (.*)$/.exec(line)
    return match ? [{ from: parseInt(match[1], 16), size: parseInt(match[2], 16), name: match[3].replace(/:\d+:\d+$/, '') }] : []
  })
  return (address) => entries.findLast(({ from, size }) => address >= from && address < from + size)?.name ?? 'JS: (unknown)'
}

module.exports = { codeOf, countsOf, readCounts }
