'use strict'

// The heat map: how many requests began then and took so long.

const { MARK } = require('../data/requests')
const { ramp } = require('../kit/colours')

/**
 * @typedef {object} Cells
 * @property {number} columns of time
 * @property {number} rows of latency, the least first
 * @property {Float64Array} counts by column, then row
 * @property {Float64Array} lit of those, how many are marked
 * @property {number} most in a cell
 */

/**
 * @param {import('../data/requests').Requests} requests
 * @param {Uint8Array} marks none: not shown
 * @param {import('../kit/scales').Scale} time its pixels are columns
 * @param {import('../kit/scales').Scale} latency its pixels are rows
 * @param {number} columns
 * @param {number} rows
 * @param {Uint8Array | null} lit marks what is to light up
 * @returns {Cells}
 */
function cellsOf ({ of: { start, count }, mean, rows: all }, marks, time, latency, columns, rows, lit) {
  const counts = new Float64Array(columns * rows)
  const lights = new Float64Array(columns * rows)
  let most = 0
  for (let i = 0; i < all; i++) {
    if (marks[i] === MARK.none) continue
    const column = Math.floor(time.to(start[i]))
    if (column < 0 || column >= columns) continue
    const row = Math.min(rows - 1, Math.max(0, Math.floor(latency.to(mean[i]))))
    const cell = column * rows + row
    most = Math.max(most, counts[cell] += count[i])
    if (lit !== null && lit[i] === 1) lights[cell] += count[i]
  }
  return { columns, rows, counts, lit: lights, most }
}

/**
 * @param {ImageData} image
 * @param {Cells} cells
 * @param {{ cellWidth: number, cellHeight: number, lights: boolean }} how pixels; `lights`: all but the lit are pale
 */
function paint (image, { columns, rows, counts, lit, most }, { cellWidth, cellHeight, lights }) {
  const { data, width, height } = image
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const count = counts[column * rows + row]
      if (count === 0) continue
      const [red, green, blue] = ramp(most <= 1 ? 0.5 : 0.15 + 0.85 * Math.log(count) / Math.log(most))
      const alpha = lights && lit[column * rows + row] === 0 ? 50 : 255
      const top = height - (row + 1) * cellHeight
      for (let y = Math.max(0, top); y < Math.min(height, top + cellHeight); y++) {
        for (let x = column * cellWidth; x < Math.min(width, (column + 1) * cellWidth); x++) data.set([red, green, blue, alpha], 4 * (y * width + x))
      }
    }
  }
}

module.exports = { cellsOf, paint }
