'use strict'

// An answer as text. Rows are taken as they come: only a table has all of them.

const { columns, printable } = require('../report/layout')

/** Of a table; more is no longer read by anybody. */
const MOST_ROWS = 1000
const WHOLE = /INT(EGER)?\b/
const NUMBER = /INT(EGER)?\b|^(DOUBLE|FLOAT|DECIMAL)/

/** @param {any} result @returns {AsyncGenerator<any[]>} rows, with whole numbers as numbers where they are exact */
async function * rowsOf (result) {
  const types = result.columnTypes().map(String)
  const value = (/** @type {any} */ cell, /** @type {number} */ i) => {
    if (typeof cell !== 'string' || !NUMBER.test(types[i])) return cell
    const number = Number(cell)
    return WHOLE.test(types[i]) && !Number.isSafeInteger(number) ? cell : number
  }
  for await (const rows of result.yieldRowsJson()) {
    for (const row of rows) yield row.map(value)
  }
}

/** @param {any} result @param {import('../report/layout').Style} style @returns {AsyncGenerator<string>} */
async function * asTable (result, style) {
  const numeric = result.columnTypes().map((/** @type {any} */ type) => NUMBER.test(String(type)))
  const headings = result.deduplicatedColumnNames().map((/** @type {string} */ name, /** @type {number} */ i) => `${numeric[i] ? '' : '<'}${printable(name)}`)
  const rows = []
  let count = 0
  for await (const row of rowsOf(result)) {
    if (++count <= MOST_ROWS) rows.push(row.map((cell) => printable(textOf(cell))))
  }
  if (count > 0) yield `${columns(headings, rows, style)}\n`
  yield `(${count} ${count === 1 ? 'row' : 'rows'}${count > MOST_ROWS ? `; the first ${MOST_ROWS} are shown: --csv and --json have all` : ''})\n`
}

/** @param {any} cell */
function textOf (cell) {
  if (cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

/** @param {any} result @returns {AsyncGenerator<string>} an array of objects, a line each */
async function * asJson (result) {
  const names = result.deduplicatedColumnNames()
  let before = '[\n'
  for await (const row of rowsOf(result)) {
    yield before + JSON.stringify(Object.fromEntries(row.map((cell, i) => [names[i], cell])))
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

/** @param {any} result @returns {AsyncGenerator<string>} with a heading (RFC 4180); nothing is an empty field */
async function * asCsv (result) {
  const field = (/** @type {string} */ text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const line = (/** @type {any[]} */ cells) => `${cells.map((cell) => field(textOf(cell))).join(',')}\n`
  yield line(result.deduplicatedColumnNames())
  for await (const row of rowsOf(result)) yield line(row)
}

module.exports = { asCsv, asJson, asTable }
