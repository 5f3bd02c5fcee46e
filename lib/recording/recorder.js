'use strict'

// What records in this thread. Whatever fails here is told once on stderr (by
// register.js) and leaves the application alone.

const { AsyncResource } = require('node:async_hooks')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { threadId } = require('node:worker_threads')
const binding = require('../native/binding')
const { instrument, recordingOf } = require('../instrument')
const { fidelityOf } = require('../instrument/fidelity')
const { serving } = require('../instrument/servers/requests')
const { makeDirectory, newFile } = require('../make-directory')
const { ownThreads } = require('./own-threads')
const { place } = require('./place')
const { version } = require('../../package.json')

const MAJOR = Number(process.versions.node.split('.')[0])
const MIN_MAJOR = 20

/** @type {null | { native: any, file: string, found: object, recording: import('../instrument/servers/requests').Recording, undo: (() => void)[] }} */
let current = null

/**
 * Begins to record this thread.
 *
 * @param {import('../config').Config} config
 * @param {string | null} [farewell] said if this thread ends meanwhile, after what was lost; null: nothing is
 * @returns {string} the trace file
 * @throws {Error} when recording cannot begin: no addon, an unknown Node, a
 *   directory that cannot be written; nothing is instrumented then
 */
function start (config, farewell = null) {
  if (current) return current.file
  if (MAJOR < MIN_MAJOR) throw new Error(`Node ${process.version} is too old: ${MIN_MAJOR} or later is needed`)
  const native = binding.load()
  makeDirectory(config.out)
  const { file, found } = startNative(native, config, farewell)
  // A patched Node sees promises, timers and ticks by itself.
  const promises = found.patched !== true && config.causality === 'promises'
  const recording = recordingOf(native, found, promises)
  current = { native, file, found, recording, undo: [] }
  try {
    instrument(recording, promises, current.undo)
    if (config.stallMs !== null) native.tellServing(serving)
  } catch (error) {
    stop()
    throw error
  }
  return file
}

function startNative (native, config, farewell) {
  // A thread that records again, or a process number used again, adds a file.
  const file = newFile(config.out, `${process.pid}-${threadId}`, 'ewt')
  try {
    const found = native.start({
      path: file,
      mode: config.mode,
      maxBytes: Math.ceil(config.maxMb * 2 ** 20),
      ringRecords: config.ringRecords,
      process: process.pid,
      thread: threadId,
      watcherNs: config.watcherUs * 1000,
      wholePaths: Number(config.wholePaths),
      offCpu: Number(config.offCpu),
      stackNs: periodNs(config.stacksHz),
      burst: config.burst,
      ownScripts: path.dirname(__dirname) + path.sep,
      stallNs: config.stallMs === null ? 0 : Math.ceil(config.stallMs * 1e6),
      sloNs: config.sloMs === null ? 0 : Math.ceil(config.sloMs * 1e6),
      nextAsyncId,
      farewell,
      describe: (/** @type {any} */ found) => JSON.stringify(meta(config, native, found))
    })
    return { file, found }
  } catch (error) {
    fs.rmSync(file, { force: true })
    throw error
  }
}

/** Stops and writes the rest; no effect when this thread does not record. */
function stop () {
  if (!current) return
  const { native, undo } = current
  current = null
  for (const step of undo.reverse()) step()
  native.stop()
}

/** Writes out what is held (flight) or not yet flushed (stream). */
function dump () {
  if (!current) throw new Error('this thread is not recording')
  current.native.dump()
  return current.file
}

/** How often a second stacks are sampled from now on; 0: never. */
function sample (/** @type {number} */ hz) {
  if (!current) throw new Error('this thread is not recording')
  current.native.sample(periodNs(hz))
}

/**
 * From now on perf and bpftrace find the names of JavaScript's functions, or no longer.
 * @param {boolean} on
 * @returns {{ path: string, functions: number, pause_ms: number } | undefined}
 */
function perfMap (on) {
  return binding.load().perfMap(on)
}

function periodNs (/** @type {number} */ hz) {
  return hz === 0 ? 0 : Math.round(1e9 / hz)
}

/**
 * @returns {{ recording: boolean, file?: string, dropped?: number, lostBytes?: number,
 *   writtenBytes?: number, watcherCpuNs?: number, found?: any }}
 */
function status () {
  if (!current) return { recording: false }
  return { recording: true, file: current.file, found: current.found, ...current.native.stats() }
}

/** @returns {import('../instrument/servers/requests').Recording | null} the one that runs */
function active () {
  return current && current.recording
}

/** @returns {Record<string, any>} what can be observed in this process, as tried (src/addon) */
function probe () {
  return binding.load().probe(nextAsyncId)
}

function nextAsyncId () {
  return new AsyncResource('EDGEWISE').asyncId()
}

// No arguments, no environment: they hold secrets.
function meta (config, native, found) {
  return {
    edgewise: version,
    provider: found.patched === true ? 'patched' : 'stock',
    node: process.version,
    v8: process.versions.v8,
    uv: process.versions.uv,
    pid: process.pid,
    identity: native.processIdentity,
    ...place(),
    ...config.service ?? process.env.OTEL_SERVICE_NAME ? { service: config.service ?? process.env.OTEL_SERVICE_NAME } : {},
    thread: threadId,
    host: os.hostname(),
    command: path.basename(process.argv[1] ?? ''),
    causality: found.patched === true ? 'native' : config.causality,
    times: found.patched === true,
    mode: config.mode,
    ...config.burst > 0 && { burst: config.burst },
    ticks: native.tickSource,
    watcher: { available: found.watcher === true, error_ns: config.watcherUs * 1000, ...typeof found.watcher === 'string' && { reason: found.watcher } },
    off_cpu: offCpuOf(found),
    ...found.nativeCode !== undefined && { native_code: found.nativeCode },
    async_ids: found.asyncIds,
    interposition: found.interposition,
    arrivals: found.arrivals,
    pool: found.pool,
    fidelity: fidelityOf(found)
  }
}

/** When the thread does not run: how that is seen, or why not, and what the process may have of the processors. */
function offCpuOf ({ offCpu, switches, limits: { quotas, ...limits } }) {
  const reason = [offCpu, switches].find((found) => typeof found === 'string')
  return {
    available: offCpu === true,
    ...offCpu === true && { by: switches === true ? 'switches' : 'sums' },
    ...reason && { reason },
    quotas,
    limits: { ...limits, ...ownThreads() }
  }
}

module.exports = { start, stop, dump, sample, perfMap, status, active, probe }
