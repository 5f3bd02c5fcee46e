'use strict'

// From a position in a script to that in its source. What a map says is checked
// before it is believed.

const { fileURLToPath } = require('node:url')
const { TraceMap, originalPositionFor } = require('@jridgewell/trace-mapping')
const { MIB, MOST_BYTES, Unreadable } = require('./regular-file')

/** Decoded, a byte of them takes up to 75. */
const MOST_MAPPINGS = MOST_BYTES / 16
const NUMBER = '[g-z0-9+/]{0,6}[A-Za-f]'
/** One that does not have one number, or four, or five. */
const BAD_SEGMENT = new RegExp(`(?:^|[,;])(?!(?:${NUMBER}(?:(?:${NUMBER}){3,4})?)?(?:[,;]|$))`)

/** @typedef {{ script: string, line: number, column: number }} Place lines and columns count from 1 */
/** @typedef {(line: number, column: number) => Place | null} Lookup null: the map has no source for it */
/** @typedef {{ line: number, column: number }} Offset counted from 0 */

/**
 * @param {any} json a map, perhaps an index of several (sections)
 * @param {string} url that its sources are relative to
 * @param {string} where it is, in words
 * @returns {Lookup}
 * @throws {Unreadable}
 */
function lookupIn (json, url, where) {
  const sections = sectionsOf(json)
  if (!sections) throw new Unreadable(`${where} is malformed`)
  const decoded = sections.reduce((sum, { map }) => sum + map.mappings.length, 0)
  if (decoded > MOST_MAPPINGS) throw new Unreadable(`the mappings of ${where} are larger than ${Math.floor(MOST_MAPPINGS / MIB)} MiB`)
  /** @type {Map<any, TraceMap>} */
  const tracers = new Map()
  return (line, column) => {
    const section = lastBefore(sections, { line: line - 1, column: column - 1 })
    if (!section) return null
    const { offset, map } = section
    const tracer = tracers.get(map) ?? tracerOf(map, url)
    tracers.set(map, tracer)
    return placeIn(tracer, line - offset.line, column - 1 - (offset.line === line - 1 ? offset.column : 0))
  }
}

/** @param {any} json @returns {{ offset: Offset, map: any }[] | null} ascending, none within another; null: malformed */
function sectionsOf (json) {
  const all = json.sections === undefined ? [{ offset: { line: 0, column: 0 }, map: json }] : json.sections
  const wellFormed = Array.isArray(all) && all.every((section, i) => isOffset(section?.offset) && isMap(section.map) && (i === 0 || isBefore(all[i - 1].offset, section.offset)))
  return wellFormed ? all : null
}

const isOffset = (/** @type {any} */ offset) => [offset?.line, offset?.column].every((n) => Number.isSafeInteger(n) && n >= 0)
const isMap = (/** @type {any} */ map) => typeof map?.mappings === 'string' && Array.isArray(map.sources) && !BAD_SEGMENT.test(map.mappings)
const isBefore = (/** @type {Offset} */ a, /** @type {Offset} */ b) => a.line < b.line || (a.line === b.line && a.column <= b.column)

/** @param {{ offset: Offset, map: any }[]} sections @param {Offset} position */
function lastBefore (sections, position) {
  let [from, to] = [0, sections.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(sections[middle].offset, position)) from = middle + 1
    else to = middle
  }
  return sections[from - 1]
}

/** @param {any} map @param {string} url */
function tracerOf ({ mappings, sources, sourceRoot }, url) {
  const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? sourceRoot.replace(/\/*$/, '/') : ''
  const base = URL.canParse(root, url) ? new URL(root, url).href : url
  return new TraceMap({ version: 3, names: [], mappings, sources: sources.map((/** @type {any} */ source) => typeof source === 'string' ? source : null) }, base)
}

/** @param {TraceMap} tracer @param {number} line from 1 @param {number} column from 0 @returns {Place | null} */
function placeIn (tracer, line, column) {
  const { source, line: ofSource, column: inLine } = originalPositionFor(tracer, { line, column })
  // A source without a name has been resolved to a directory.
  if (!source || source.endsWith('/') || !(ofSource > 0) || !(inLine >= 0)) return null
  return { script: nameOf(source), line: ofSource, column: inLine + 1 }
}

/** @param {string} source a URL @returns {string} its path, if it is a file */
function nameOf (source) {
  try {
    return source.startsWith('file://') ? fileURLToPath(source.replace(/[?#]/g, encodeURIComponent)) : source
  } catch {
    return source
  }
}

module.exports = { lookupIn }
