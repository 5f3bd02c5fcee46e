'use strict'

// The columns of a page (docs/page-data.md), as they were packed.

const MAGIC = 'EWPG'
const HEAD = 8

/** @typedef {Record<string, Float64Array>} Table columns, by name: whole numbers */
/** @typedef {{ head: Record<string, any>, tables: Record<string, Table> }} Columns */

/**
 * @param {Uint8Array} bytes the container
 * @returns {Columns}
 * @throws {Error} it is none, or is cut off
 */
function readColumns (bytes) {
  if (bytes.length < HEAD || String.fromCharCode(...bytes.subarray(0, 4)) !== MAGIC) throw new Error('these are no columns of a page')
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  if (HEAD + length > bytes.length) throw new Error('the head of the columns is cut off')
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(HEAD, HEAD + length)))
  if (head.schema !== 1) throw new Error(`columns of schema ${head.schema}: this page reads schema 1`)
  let next = HEAD + length
  /** @type {Record<string, Table>} */
  const tables = {}
  for (const [name, { rows, columns }] of Object.entries(head.tables)) {
    tables[name] = {}
    for (const column of columns ?? []) {
      tables[name][column.name] = readColumn(bytes, next, rows, column)
      next += rows * column.planes
    }
  }
  return { head, tables }
}

/** @param {Uint8Array} bytes @param {number} at @param {number} rows @param {{ name: string, planes: number, delta?: boolean }} column */
function readColumn (bytes, at, rows, { name, planes, delta }) {
  if (at + rows * planes > bytes.length) throw new Error(`column ${name} is cut off`)
  const values = new Float64Array(rows)
  let unit = 1
  for (let plane = 0; plane < planes; plane++, at += rows, unit *= 256) {
    for (let row = 0; row < rows; row++) values[row] += bytes[at + row] * unit
  }
  if (delta) for (let row = 1; row < rows; row++) values[row] += values[row - 1]
  return values
}

/** @param {Float64Array} counts rows of each @returns {Float64Array} where those of each begin, and the end */
function beginsOf (counts) {
  const begins = new Float64Array(counts.length + 1)
  for (let row = 0; row < counts.length; row++) begins[row + 1] = begins[row] + counts[row]
  return begins
}

module.exports = { beginsOf, readColumns }
