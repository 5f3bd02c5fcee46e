'use strict'

// The source map of a script: in it, in the file that it names, or beside it.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { lookupIn } = require('./lookup')
const { mappingUrl } = require('./mapping-url')
const { Unreadable, pathOf, textOf, withFile } = require('./regular-file')

const SLACK_MS = 10_000 // One build writes both.
const DATA = /^data:([^,]*),/i
const OF_OTHERS = /^\)\]\}[^\n]*\n/ // Keeps a map from being run as a script.

/**
 * @typedef {object} Found
 * @property {import('./lookup').Lookup} lookup
 * @property {string} where the map's file, or words
 */

/**
 * @param {string} script as V8 calls it
 * @returns {Found | null} null: it has none, or is no file at all
 * @throws {Unreadable}
 */
function sourceMapOf (script) {
  const file = pathOf(script)
  if (file === null) return null
  let url, mtimeMs
  try {
    [url, mtimeMs] = withFile(file, (opened) => [mappingUrl(opened), opened.mtimeMs])
  } catch (error) {
    const found = error.missing ? beside(file, -Infinity) : null // Only maps were brought here.
    if (found) return found
    throw error
  }
  return url === null ? beside(file, mtimeMs) : named(url, file)
}

/** @param {string} url @param {string} file the script @returns {Found} */
function named (url, file) {
  const base = pathToFileURL(file).href
  const [data, header] = DATA.exec(url) ?? []
  if (data) {
    const where = `the map in ${file}`
    return found(decoded(url.slice(data.length), header, where), base, where)
  }
  const map = URL.canParse(url, base) ? pathOf(new URL(url, base).href) : null
  if (map === null) throw new Unreadable(`its map is at ${url}: only files are read`)
  try {
    return found(textOf(map), pathToFileURL(map).href, map)
  } catch (error) {
    throw error.missing ? new Unreadable(`${error.message} (build with source maps, or copy it there)`) : error
  }
}

/** @param {string} body @param {string} header of a data URL @param {string} where */
function decoded (body, header, where) {
  if (/;\s*base64\s*$/i.test(header)) return Buffer.from(body, 'base64').toString('utf8')
  try {
    return decodeURIComponent(body)
  } catch {
    throw new Unreadable(`${where} is malformed`)
  }
}

/**
 * A map that no comment names is taken if it names the script, and is not of an
 * earlier build.
 *
 * @param {string} file the script
 * @param {number} since when that was written, ms
 * @returns {Found | null}
 */
function beside (file, since) {
  const map = `${file}.map`
  try {
    if (withFile(map, ({ mtimeMs }) => mtimeMs) < since - SLACK_MS) return null
    const text = textOf(map)
    const { file: ofScript } = parsed(text, map)
    return typeof ofScript === 'string' && path.basename(ofScript) === path.basename(file) ? found(text, pathToFileURL(map).href, map) : null
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

/** @param {string} text @param {string} url that its sources are relative to @param {string} where @returns {Found} */
function found (text, url, where) {
  return { where, lookup: lookupIn(parsed(text, where), url, where) }
}

/** @param {string} text @param {string} where @returns {any} */
function parsed (text, where) {
  try {
    return Object(JSON.parse(text.replace(/^\uFEFF/, '').replace(OF_OTHERS, '')))
  } catch {
    throw new Unreadable(`${where} is no JSON`) // The error's own words quote the file.
  }
}

module.exports = { sourceMapOf }
