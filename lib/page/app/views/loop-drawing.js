'use strict'

const { queueWithin, slicesWithin } = require('../data/lanes')

const SLICES = { top: 16, height: 16 }
const GC = { top: 33, height: 5 }
const REQUEST = { top: 40, height: 8 }
const QUEUE = { top: 52, height: 26 }
const LANE = 88

/**
 * @param {CanvasRenderingContext2D} context
 * @param {object} what
 * @param {import('../data/lanes').Lane[]} what.lanes
 * @param {{ from: number, to: number }} what.window
 * @param {import('../kit/scales').Scale} what.time
 * @param {import('../data/paths').Step[]} what.steps of a request
 * @param {number | undefined} what.thread that it ran on
 * @param {(blocker: number) => string} what.colour
 * @param {(blocker: number) => boolean} what.isGc it has a strip of its own, below the slices
 */
function drawLoops (context, { lanes, window, time, steps, thread, colour, isGc }) {
  const { width, height } = context.canvas
  const style = getComputedStyle(context.canvas)
  const look = { text: style.color, io: style.getPropertyValue('--io'), queue: style.getPropertyValue('--queue'), exec: style.getPropertyValue('--exec'), line: style.getPropertyValue('--line') }
  const most = Math.max(1, ...lanes.map((lane) => queueWithin(lane, window.from, window.to).reduce((top, { length }) => Math.max(top, length), 0)))
  context.clearRect(0, 0, width, height)
  lanes.forEach((lane, i) => {
    const top = i * LANE
    context.fillStyle = look.line
    for (const { from, to } of lane.windows) context.fillRect(time.to(from), top + SLICES.top + SLICES.height, time.to(to) - time.to(from), 1)
    drawSlices(context, lane, (blocker) => isGc(blocker) ? GC : SLICES, top, window, time, colour, look.text)
    drawQueue(context, lane, top + QUEUE.top, window, time, most, look.text)
    if (lane.thread === thread) drawRequest(context, steps, top + REQUEST.top, time, look)
  })
}

/** Of slices of less than a pixel, as many as there are pixels. */
function drawSlices (context, lane, stripOf, laneTop, window, time, colour, text) {
  const drawn = new Map()
  for (const { begin, end, blocker, off, busy } of slicesWithin(lane, window.from, window.to)) {
    const left = Math.max(0, time.to(begin))
    const right = Math.min(context.canvas.width, time.to(end))
    const strip = stripOf(blocker)
    if (right < (drawn.get(strip) ?? -1) + 1) continue
    drawn.set(strip, Math.max(right, left + 1))
    const top = laneTop + strip.top
    context.fillStyle = colour(blocker)
    context.globalAlpha = (off > 0 ? 0.4 : 1) * Math.max(0.2, busy / (end - begin))
    context.fillRect(left, top, Math.max(1, right - left), strip.height)
    context.globalAlpha = 1
    if (off > 0) hatch(context, left, top, right - left, strip.height, text)
  }
}

function hatch (context, left, top, width, height, colour) {
  context.save()
  context.beginPath()
  context.rect(left, top, width, height)
  context.clip()
  context.strokeStyle = colour
  context.beginPath()
  for (let x = left - height; x < left + width; x += 6) {
    context.moveTo(x, top + height)
    context.lineTo(x + height, top)
  }
  context.stroke()
  context.restore()
}

function drawQueue (context, lane, top, window, time, most, text) {
  const lengths = queueWithin(lane, window.from, window.to)
  const y = (/** @type {number} */ length) => top + QUEUE.height - QUEUE.height * length / most
  context.fillStyle = text
  context.globalAlpha = 0.25
  lengths.forEach(({ at, length }, i) => {
    const left = Math.max(0, time.to(at))
    const right = i + 1 < lengths.length ? time.to(lengths[i + 1].at) : time.to(window.to)
    context.fillRect(left, y(length), right - left, top + QUEUE.height - y(length))
  })
  context.globalAlpha = 1
  context.font = '10px system-ui'
  context.fillText(`${most} waiting`, 2, top + 8)
}

/** Where it waited, under what ran meanwhile. */
function drawRequest (context, steps, top, time, look) {
  for (const { begin, io, queue, exec } of steps) {
    const ready = time.to(begin - queue)
    context.fillStyle = look.io
    context.fillRect(time.to(begin - queue - io), top + 3, ready - time.to(begin - queue - io), 2)
    hatch(context, ready, top, time.to(begin) - ready, REQUEST.height, look.queue)
    context.fillStyle = look.exec
    context.fillRect(time.to(begin), top, Math.max(1, time.to(begin + exec) - time.to(begin)), REQUEST.height)
  }
}

module.exports = { LANE, drawLoops }
