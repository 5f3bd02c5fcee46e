'use strict'

/**
 * @param {Error} error of DuckDB: what, and perhaps an excerpt with a caret under the place
 * @param {string} sql
 * @param {number} [before] lines of it that the user has not written
 * @returns {Error} one line, which names the place
 */
function sqlError ({ message }, sql, before = 0) {
  const [, told, number, excerpt, blanks] = /^([^]*?)\n+LINE (\d+): (.*)\n( *)\^/.exec(message) ?? ['', message, '', '', '']
  const what = told.replace(/^Failed to extract statements: /, '').trim().split(/\n+/).map((line) => line.trim()).join(' ')
  if (!number) return new Error(`SQL: ${what}`)
  const line = sql.split('\n')[Number(number) - 1] ?? ''
  const within = blanks.length - `LINE ${number}: `.length
  return new Error(`SQL, line ${Number(number) - before}, column ${columnOf(line, excerpt, within)}: ${what}`)
}

/** A long line is told in part. @param {string} line @param {string} excerpt @param {number} within the excerpt @returns {number} from 1 */
function columnOf (line, excerpt, within) {
  if (!excerpt.startsWith('...')) return within + 1
  const part = excerpt.replace(/^\.\.\./, '').replace(/\.\.\.$/, '')
  return Math.max(0, line.indexOf(part)) + within - 3 + 1
}

module.exports = { sqlError }
