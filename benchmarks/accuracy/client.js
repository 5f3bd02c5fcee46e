'use strict'

// What the client saw of each request (edgewise-load --samples), and which of
// the server's requests that was.

const fs = require('node:fs')

/**
 * @typedef {object} Sample
 * @property {number} sentNs CLOCK_MONOTONIC
 * @property {number} endNs
 * @property {number} port the client's
 */

/**
 * @param {string} file
 * @returns {Sample[]} the answered requests
 * @throws {Error} when a column is missing
 */
function readSamples (file) {
  const [head, ...lines] = fs.readFileSync(file, 'utf8').trimEnd().split('\n')
  const names = head.split(',')
  const [sent, end, port, status] = ['sent_ns', 'end_ns', 'local_port', 'status'].map((name) => {
    const column = names.indexOf(name)
    if (column < 0) throw new Error(`${file}: no column ${name}, only ${head}`)
    return column
  })
  return lines.map((line) => line.split(',')).filter((row) => row[status] !== '0')
    .map((row) => ({ sentNs: Number(row[sent]), endNs: Number(row[end]), port: Number(row[port]) }))
}

/**
 * Pairs the recorded requests with the client's: on one connection both have
 * the same order.
 * @param {{ id: number, start_ns: number, end_ns: number, latency_ns: number }[]} requests of one thread
 * @param {(number | undefined)[]} ports of request 1, 2, ...: see ports.js
 * @param {Sample[]} samples
 * @returns {{ request: { id: number, start_ns: number, end_ns: number, latency_ns: number }, sample: Sample }[]}
 */
function pair (requests, ports, samples) {
  /** @type {Map<number | undefined, Sample[]>} */
  const waiting = new Map()
  for (const sample of [...samples].sort((a, b) => a.sentNs - b.sentNs)) {
    const queue = waiting.get(sample.port)
    if (queue === undefined) waiting.set(sample.port, [sample])
    else queue.push(sample)
  }
  return [...requests].sort((a, b) => a.id - b.id).flatMap((request) => {
    const sample = waiting.get(ports[request.id - 1])?.shift()
    return sample === undefined ? [] : [{ request, sample }]
  })
}

module.exports = { readSamples, pair }
