'use strict'

// What a pointer or an address has chosen of a plot: x time, y latency upwards.

/** @typedef {{ x: number, y: number, toX: number, toY: number }} Drag pixels */
/** @typedef {{ width: number, height: number }} Size pixels */

/** A drag of fewer pixels along an axis takes all of it. */
const DRAG = 6

/** @param {Drag} drag @param {Size} size */
function boxOf ({ x, y, toX, toY }, { width, height }) {
  const [left, right] = Math.abs(toX - x) < DRAG ? [0, width] : [Math.min(x, toX), Math.max(x, toX)]
  const [top, bottom] = Math.abs(toY - y) < DRAG ? [0, height] : [Math.min(y, toY), Math.max(y, toY)]
  return { left: `${left}px`, width: `${right - left}px`, top: `${top}px`, height: `${bottom - top}px` }
}

/**
 * A click takes all that is there and slower; a drag along one axis a band or a strip; else a box.
 * @param {Drag} drag
 * @param {import('./scales').Scale} time
 * @param {import('./scales').Scale} latency
 * @returns {import('../data/requests').Selection}
 */
function selectedBy ({ x, y, toX, toY }, time, latency) {
  const across = Math.abs(toX - x) >= DRAG
  const upwards = Math.abs(toY - y) >= DRAG
  if (!across && !upwards) return { least: latency.from(y) }
  return {
    ...across && { from: time.from(Math.min(x, toX)), to: time.from(Math.max(x, toX)) },
    ...upwards && { least: latency.from(Math.max(y, toY)), most: latency.from(Math.min(y, toY)) }
  }
}

/**
 * @param {import('../data/requests').Selection} selection
 * @param {import('./scales').Scale} time
 * @param {import('./scales').Scale} latency
 * @param {Size} size
 */
function selectionBox ({ from, to, least, most }, time, latency, { width, height }) {
  if (from === undefined && to === undefined && least === undefined && most === undefined) return null
  const within = (/** @type {number} */ pixel, /** @type {number} */ end) => Math.min(end, Math.max(0, pixel))
  const left = from === undefined ? 0 : within(time.to(from), width)
  const right = to === undefined ? width : within(time.to(to), width)
  const top = most === undefined ? 0 : within(latency.to(most), height)
  const bottom = least === undefined ? height : within(latency.to(least), height)
  return { left: `${left}px`, width: `${right - left}px`, top: `${top}px`, height: `${bottom - top}px` }
}

module.exports = { boxOf, selectedBy, selectionBox }
