'use strict'

// Where the tables of a recording lie: docs/tables.md.

/** All that a recording is exported as; each is a file NAME.parquet. */
const TABLES = ['requests', 'steps', 'events', 'blockers', 'gcs', 'calls', 'loop', 'stacks', 'meta']
/** Of the tables' columns; the files say it, too (src/analysis/rows). */
const SCHEMA = '1'

/**
 * @typedef {object} Recording what an analysis says about what it has exported
 * @property {string} host where it was recorded; '': not known
 * @property {string} command
 * @property {number} unixMs when it began
 * @property {string} key another one has another
 */

/**
 * @param {Recording} recording
 * @param {{ app?: string, host?: string }} named
 * @returns {string} its directory, as DuckDB, ClickHouse and Spark find what it is of
 */
function placeOf ({ host, command, unixMs, key }, named) {
  const began = new Date(unixMs).toISOString()
  const parts = { app: named.app ?? appOf(command), host: named.host ?? (host || 'unknown'), date: began.slice(0, 10) }
  const folders = Object.entries(parts).map(([name, value]) => `${name}=${encoded(value)}`)
  return [...folders, `${began.slice(0, 19).replace(/[-:]/g, '')}Z-${key}`].join('/')
}

/** @param {string} command such as `server.js` @returns {string} */
function appOf (command) {
  return command.replace(/\.[cm]?[jt]s$/, '') || 'unknown'
}

/** @param {string} value @returns {string} one that is a part of a path, and of no pattern */
function encoded (value) {
  return encodeURIComponent(value).replace(/[!'()*]|^\.+/g, (characters) =>
    Array.from(characters, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).join(''))
}

module.exports = { SCHEMA, TABLES, appOf, placeOf }
