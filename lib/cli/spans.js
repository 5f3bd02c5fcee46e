'use strict'

// Requests of recordings as spans: to a file, or to a collector.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const { countSpans, exportRequest } = require('../export/otlp')
const { headersOf, send } = require('../export/otlp-endpoint')
const { Failure } = require('./failure')
const { analyse } = require('./report')

/** So many requests go together. */
const BATCH = 200

/**
 * @typedef {object} Exporting
 * @property {string} [service] otherwise by the program
 * @property {number} [sample] the share of the requests beside the tail
 * @property {number} [most] so many requests of a recording at most
 * @property {number} [percentile]
 * @property {number} [skip]
 * @property {boolean} [shiftToNow] as if the last one had just ended
 * @property {AbortSignal} signal
 * @property {(directory: string) => (share: number) => void} progress
 *
 * @typedef {{ requests: number, leftOut: number, spans: number, rejected: number }} Exported
 */

/**
 * @param {string[]} directories
 * @param {(request: object) => Promise<number>} deliver is given one ExportTraceServiceRequest after the other; returns how many spans were refused
 * @param {Exporting} options
 * @returns {Promise<Exported | null>} null: it was interrupted
 */
async function exportSpans (directories, deliver, { signal, progress, shiftToNow, service, ...options }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-spans-'))
  try {
    const files = []
    const sum = { requests: 0, leftOut: 0, spans: 0, rejected: 0 }
    for (const [i, directory] of directories.entries()) {
      const file = path.join(scratch, String(i))
      const found = await analyse(directory, { ...options, spans: file, slowest: 0 }, signal, progress(directory))
      if (!found) return null
      sum.requests += found.written
      sum.leftOut += found.leftOut
      files.push(file)
    }
    const shiftNs = shiftToNow ? BigInt(Date.now()) * 1_000_000n - await lastEnd(files) : 0n
    for await (const batch of batches(files)) {
      if (signal.aborted) return null
      const request = exportRequest(batch, { service, shiftNs })
      sum.spans += countSpans(request)
      sum.rejected += await deliver(request)
    }
    return signal.aborted ? null : sum
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** @param {string[]} files @returns {AsyncGenerator<import('../export/otlp').Told>} */
async function * requestsIn (files) {
  for (const file of files) {
    for await (const line of readline.createInterface({ input: fs.createReadStream(file) })) yield JSON.parse(line)
  }
}

/** @param {string[]} files @returns {AsyncGenerator<import('../export/otlp').Told[]>} */
async function * batches (files) {
  let batch = []
  for await (const told of requestsIn(files)) {
    batch.push(told)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** @param {string[]} files @returns {Promise<bigint>} ns since 1970 */
async function lastEnd (files) {
  let last = 0n
  for await (const { unix_ns: begin, latency_ns: latency } of requestsIn(files)) {
    const end = BigInt(begin) + BigInt(latency)
    if (end > last) last = end
  }
  return last
}

/** @param {string} url @param {AbortSignal} signal @returns {(request: object) => Promise<number>} */
function toEndpoint (url, signal) {
  const headers = headersOf(process.env.OTEL_EXPORTER_OTLP_HEADERS)
  return (request) => send(url, request, { headers, signal }).catch((error) => { throw new Failure(error.message) })
}

/** @param {string} file @returns {(request: object) => Promise<number>} a line each */
function toFile (file) {
  return async (request) => {
    fs.appendFileSync(file, `${JSON.stringify(request)}\n`)
    return 0
  }
}

module.exports = { exportSpans, toEndpoint, toFile }
