'use strict'

// The public API. Types and documentation: index.d.ts.

const os = require('node:os')
const binding = require('./native/binding')
const boosting = require('./boosting')
const { readConfig, readOptions } = require('./config')
const { runAsRequest } = require('./instrument/servers/custom-requests')
const recording = require('./recording')
const { off, on } = require('./recording/stalls')
const { readBoost } = require('./report/boost')
const { prometheus } = require('./report/metrics')

const PROGRESS_MS = 1000

const { dump, status, stop } = recording
const { status: boostStatus } = boosting

function start (options = {}) {
  return recording.start(readOptions(options))
}

function request (name, fn) {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`edgewise.request(name, fn): name is ${JSON.stringify(name)}; a non-empty string is allowed`)
  }
  if (typeof fn !== 'function') {
    throw new TypeError(`edgewise.request(name, fn): fn is a ${typeof fn}; a function is allowed`)
  }
  return runAsRequest(() => recording.active(), name, fn)
}

function route (name, of) {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`edgewise.route(name): name is ${JSON.stringify(name)}; a non-empty string is allowed`)
  }
  if (of !== undefined && typeof of?.method !== 'string') {
    throw new TypeError(`edgewise.route(name, request): request is ${of === null ? 'null' : `a ${typeof of}`}; a request of Node's http server is allowed`)
  }
  if (!recording.active()) return
  const { currentRequest, nameRequest } = require('./instrument/servers/named') // Only here: of servers that are recorded.
  const named = of ?? currentRequest()
  if (named !== undefined) nameRequest(named, name)
}

function report (directory, options = {}) {
  return completed(directory, options, binding.loadReporter().report(directory, asked(options)))
}

async function reportAsync (directory, given = {}) {
  const { signal, onProgress, ...options } = /** @type {import('./index').ReportAsyncOptions & Record<string, any>} */ (given) // and what a page needs (docs/page-data.md), or an export
  const analysis = binding.loadReporter().analyse(directory, asked(options))
  const done = await watched(analysis, { signal, onProgress })
  const { json, recording: recorded, ...beside } = typeof done === 'string' ? { json: done } : done
  return { ...completed(directory, options, json), ...recorded && { recording: JSON.parse(recorded) }, ...beside }
}

async function whatif (directory, given = {}) {
  const { signal, onProgress, ...options } = /** @type {import('./index').WhatIfOptions} */ (given)
  return JSON.parse(await watched(binding.loadReporter().whatif(directory, options), { signal, onProgress }))
}

async function compare (given) {
  const { signal, onProgress, ...options } = /** @type {import('./index').CompareOptions} */ (given)
  const found = JSON.parse(await watched(binding.loadReporter().compare(options), { signal, onProgress }))
  const { unlikeBoosts } = require('./compare/boosts') // Only here: no server that is recorded needs it.
  const boosted = options.by ? undefined : unlikeBoosts(options)
  return boosted ? { ...found, refused: [boosted, ...found.refused] } : found
}

async function across (given) {
  const { signal, onProgress, scratch = [os.tmpdir()], ...options } = /** @type {import('./index').AcrossOptions & { scratch?: string[] }} */ (given)
  return JSON.parse(await watched(binding.loadReporter().across({ ...options, scratch }), { signal, onProgress }))
}

/** What it is done with, unless it is aborted. */
async function watched (analysis, { signal, onProgress }) {
  const cancel = () => analysis.cancel()
  const progress = onProgress && setInterval(() => onProgress(analysis.progress()), PROGRESS_MS)
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  try {
    return await analysis.done
  } finally {
    clearInterval(progress)
    signal?.removeEventListener('abort', cancel)
  }
}

/** What the addon is asked: it takes every stack to tell functions by their sources. @param {Record<string, any>} options */
function asked ({ sourceMaps, ...options }) {
  return { ...options, stacks: true }
}

/** What it found, with what is known outside of its trace. */
function completed (directory, options, json) {
  const { process, thread, stacks: whole = false, sourceMaps = true } = options
  const found = JSON.parse(json)
  const warnings = [...found.warnings ?? []]
  const boost = readBoost(directory, (warning) => warnings.push(warning))
    .filter((one) => (process ?? one.process) === one.process && (thread ?? one.thread) === one.thread)
  if (found.request) require('./kernel/layer').addLayers(directory, found.request) // Only here, likewise.
  return { ...found, ...found.stacks && { stacks: sourced(found.stacks, { sourceMaps, whole }) }, warnings, ...boost.length > 0 && { boost } }
}

function sourced (stacks, options) {
  const { mapStacks } = require('./sources') // Only here: no server that is recorded needs it.
  return mapStacks(stacks, options)
}

function probe () {
  return { ...recording.probe(), ...boosting.probe(readConfig().config) }
}

function metrics () {
  const recorded = status()
  const { liveRequests } = require('./recording/live') // Only here: it loads what reports.
  return prometheus(recorded, boostStatus(), liveRequests(recorded.file))
}

// Shorthand names only: Node's lexer, which tells `import` what there is, stops
// at any other value.
module.exports = { report, reportAsync, across, compare, whatif, start, stop, dump, status, on, off, boostStatus, metrics, request, route, probe }
