'use strict'

const Table = require('cli-table3')
const colors = require('picocolors')

/**
 * @typedef {object} Style
 * @property {number} width columns of the terminal; Infinity when it is none
 * @property {(text: string) => string} strong
 * @property {(text: string) => string} faint
 * @property {(text: string) => string} alarm
 * @property {boolean} [markdown] tables are Markdown's
 */

const BARE = Object.fromEntries(['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right',
  'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'].map((name) => [name, '']))
const GAP = 2
// cli-table3 takes time with the square of the rows.
const BLOCK = 16

/**
 * @param {{ color?: boolean, width?: number }} options
 * @returns {Style}
 */
function styleOf ({ color = false, width }) {
  const paint = colors.createColors(color)
  return { width: width && width >= 40 ? width : Infinity, strong: paint.bold, faint: paint.dim, alarm: paint.yellow }
}

/**
 * Aligned columns without rules. A leading '<' of a heading makes its column
 * left-aligned; numbers are right-aligned.
 *
 * @param {string[]} headings
 * @param {string[][]} rows
 * @param {Style} style
 * @returns {string} lines without trailing blanks or newline
 */
function columns (headings, rows, style) {
  if (style.markdown) return markdownTable(headings, rows)
  const left = headings.map((heading) => heading.startsWith('<'))
  const head = headings.map((heading, i) => style.faint(left[i] ? heading.slice(1) : heading))
  const fitted = fit(rows, headings, style.width)
  const all = head.some(Boolean) ? [head, ...fitted] : fitted
  const widest = left.map((_, i) => all.reduce((most, row) => visible(row[i]) > visible(most) ? row[i] : most, ''))
  const lines = []
  for (let i = 0; i < all.length; i += BLOCK) {
    const table = new Table({
      chars: BARE,
      colAligns: left.map((isLeft) => isLeft ? 'left' : 'right'),
      style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true }
    })
    table.push(widest, ...all.slice(i, i + BLOCK)) // The first row gives all blocks the same columns.
    lines.push(...table.toString().split('\n').slice(1))
  }
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** @param {string[]} headings @param {string[][]} rows @returns {string} with an empty line behind it */
function markdownTable (headings, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`
  const cell = (/** @type {string} */ text) => text.replace(/^ +/, (blanks) => '&nbsp;'.repeat(blanks.length))
  return [
    line(headings.map((heading) => heading.replace(/^</, '') || ' ')),
    line(headings.map((heading) => heading.startsWith('<') ? '---' : '---:')),
    ...rows.map((row) => line(row.map(cell)))
  ].join('\n') + '\n'
}

/**
 * Shortens the first column where the lines would be wider than the terminal,
 * and then the last if it is text.
 *
 * @param {string[][]} rows
 * @param {string[]} headings
 * @param {number} width
 */
function fit (rows, headings, width) {
  const widths = headings.map((heading, i) => Math.max(heading.replace(/^</, '').length, ...rows.map((row) => visible(row[i]))))
  const others = widths.slice(1).reduce((sum, column) => sum + column + GAP, 0)
  const room = Math.max(20, width - others - GAP)
  const left = width - Math.min(widths[0], room) - GAP - others + widths[widths.length - 1] + GAP
  const lastRoom = headings.at(-1)?.startsWith('<') ? Math.max(12, left) : Infinity
  return rows.map((row) => row.map((cell, i) => {
    const most = i === 0 ? room : i === row.length - 1 ? lastRoom : Infinity
    return visible(cell) > most ? shorten(cell, most) : cell
  }))
}

/**
 * @param {string} text
 * @param {number} room at least 3
 * @returns {string} its begin and end: routes differ at either
 */
function shorten (text, room) {
  if (text.length <= room) return text
  const tail = Math.floor((room - 1) / 2)
  return `${text.slice(0, room - 1 - tail)}…${text.slice(text.length - tail)}`
}

/** @param {string} text @returns {number} columns it takes, without its colours */
function visible (text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\x1b\[[0-9;]*m/g, '').length
}

/**
 * Names in a trace come from requests: one must not move the cursor, clear the
 * screen or reverse the line of whoever reads the report.
 *
 * @template T
 * @param {T} value anything from JSON
 * @returns {T} with every control or direction character written out
 */
function printable (value) {
  if (typeof value === 'string') {
    return /** @type {any} */ (value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`))
  }
  if (Array.isArray(value)) return /** @type {any} */ (value.map(printable))
  if (value === null || typeof value !== 'object') return value
  return /** @type {any} */ (Object.fromEntries(Object.entries(value).map(([key, inner]) => [printable(key), printable(inner)])))
}

/** @param {string} text @param {string} [by] */
function indent (text, by = '  ') {
  return text.split('\n').map((line) => line ? by + line : line).join('\n')
}

module.exports = { columns, indent, printable, styleOf }
