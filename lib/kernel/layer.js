'use strict'

// The kernel under the events of a recorded process: what bpftrace tells of
// them, a file beside the trace, and what a report takes from it.

const fs = require('node:fs')
const path = require('node:path')
const { scriptFor } = require('../bpf/scripts')
const { newFile } = require('../make-directory')

/** What takes so long is told by itself, ns. */
const LONG_NS = 50_000
const FILE = /^kernel-(\d+)(\.\d+)?\.txt$/
const SUMS = ['calls', 'calls_ns', 'preempted_ns', 'blocked_ns', 'disk_ns', 'softirq_ns', 'faults', 'cache_misses']
/** Lines that a report shows of one event. */
const MOST_LONG = 8

/** @typedef {{ kind: 'call' | 'preempted' | 'slept' | 'device', ns: number, call?: number, by?: string, device?: string, bytes?: number }} Long */
/** @typedef {Record<string, any> & { long: Long[] }} EventLayer */

/**
 * @param {number} pid
 * @param {string} addon with the probes
 * @param {{ burst?: number, seconds?: number }} options burst: bits that are set in the milliseconds of a burst
 * @returns {string} for bpftrace
 */
function layerScript (pid, addon, { burst = 0, seconds }) {
  // CLOCK_REALTIME is so much more than what BPF's clock says, which knows of no time namespace.
  const offset = Math.round((performance.timeOrigin + performance.now()) * 1e6) - Number(process.hrtime.bigint()) + aheadNs('self')
  const gate = burst > 0 ? `(((nsecs + ${offset}) / 1000000) & ${burst}) == ${burst}` : '1'
  const script = fs.readFileSync(path.join(__dirname, 'layer.bt'), 'utf8').replaceAll('GATE', gate).replaceAll('LONG', String(LONG_NS)).replaceAll('AHEAD', String(aheadNs(pid)))
  return scriptFor(`${script}interval:s:1 { printf("T\\n"); }\n`, pid, addon, seconds)
}

/** @param {number | 'self'} pid @returns {number} how far the monotonic clock of its time namespace is ahead of the kernel's */
function aheadNs (pid) {
  try {
    const [, seconds, ns] = /** @type {string[]} */ (/^monotonic +(-?\d+) +(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/timens_offsets`, 'latin1')))
    return Number(seconds) * 1e9 + Number(ns)
  } catch {
    return 0 // Before Linux 5.6.
  }
}

/**
 * @param {string} directory of a trace
 * @param {number} pid
 * @returns {string} a new file there
 */
const newLayerFile = (directory, pid) => newFile(directory, `kernel-${pid}`, 'txt')

/**
 * @param {string} directory of a trace
 * @param {number} process
 * @param {number} thread
 * @param {Set<number>} events
 * @returns {Map<number, EventLayer>} by event
 */
function layersOf (directory, process, thread, events) {
  /** @type {Map<number, EventLayer>} */
  const found = new Map()
  for (const name of fs.readdirSync(directory)) {
    if (Number(FILE.exec(name)?.[1]) !== process) continue
    for (const line of linesOf(path.join(directory, name))) take(line, thread, events, found)
  }
  for (const layer of found.values()) layer.long = layer.long.sort((one, other) => other.ns - one.ns).slice(0, MOST_LONG)
  return found
}

/** @param {string} file of any length @returns {Generator<string>} */
function * linesOf (file) {
  const opened = fs.openSync(file, 'r')
  const block = Buffer.alloc(1 << 20)
  let rest = ''
  try {
    for (let bytes = fs.readSync(opened, block); bytes > 0; bytes = fs.readSync(opened, block)) {
      const lines = (rest + block.toString('latin1', 0, bytes)).split('\n')
      rest = /** @type {string} */ (lines.pop())
      yield * lines
    }
  } finally {
    fs.closeSync(opened)
  }
}

/** @param {string} line @param {number} thread @param {Set<number>} events @param {Map<number, EventLayer>} found */
function take (line, thread, events, found) {
  const [kind, ofThread, ofEvent, , ...rest] = line.split(' ')
  const event = Number(ofEvent)
  if (Number(ofThread) !== thread || !events.has(event)) return
  if (!found.has(event)) found.set(event, { long: [] })
  const layer = /** @type {EventLayer} */ (found.get(event))
  const numbers = rest.map(Number)
  const named = (/** @type {number} */ from) => `${rest.slice(from + 1).join(' ')} (${rest[from]})`
  if (kind === 'E') SUMS.forEach((name, i) => { layer[name] = numbers[i + 1] })
  if (kind === 'S') layer.long.push({ kind: 'call', ns: numbers[0], call: numbers[1] })
  if (kind === 'P') layer.long.push({ kind: 'preempted', ns: numbers[0], by: named(1) })
  if (kind === 'W') layer.long.push({ kind: 'slept', ns: numbers[0], call: numbers[1], by: named(2) })
  if (kind === 'B') layer.long.push({ kind: 'device', ns: numbers[0], device: `${numbers[1] >> 20}:${numbers[1] & 0xFFFFF}`, bytes: numbers[2] })
}

/**
 * Adds to each node of a request what the kernel did in its event: to the first of each event.
 * @param {string} directory of its trace
 * @param {{ process: number, thread: number, nodes?: { event: number | null, kernel?: EventLayer }[] } | null | undefined} request
 */
function addLayers (directory, request) {
  if (!request?.nodes) return
  const events = new Set(request.nodes.flatMap(({ event }) => event === null ? [] : [event]))
  const layers = layersOf(directory, request.process, request.thread, events)
  for (const node of request.nodes) {
    const layer = node.event === null ? undefined : layers.get(node.event)
    if (layer === undefined) continue
    node.kernel = layer
    layers.delete(Number(node.event))
  }
}

module.exports = { addLayers, layerScript, newLayerFile }
