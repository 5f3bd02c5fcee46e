'use strict'

// The public API. Types and documentation: index.d.ts.

const binding = require('./binding')
const boosting = require('./boosting')
const { readConfig } = require('./config')
const { KIND, OUTCOME } = require('./instrument/requests')
const recording = require('./recording')
const { readBoost } = require('./report/boost')
const { prometheus } = require('./report/metrics')

function start (options = {}) {
  const { config } = readConfig()
  return recording.start({ ...config, ...options })
}

function request (name, fn) {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`edgewise.request(name, fn): name is ${JSON.stringify(name)}; a non-empty string is allowed`)
  }
  if (typeof fn !== 'function') {
    throw new TypeError(`edgewise.request(name, fn): fn is a ${typeof fn}; a function is allowed`)
  }
  const now = recording.active()
  if (!now) return fn()
  const id = now.calls.requestStart(KIND.custom)
  const end = (outcome) => now.calls.requestEnd(id, now.routes.numberOfPattern('', name), 0, outcome)
  let result
  try {
    result = fn()
  } catch (error) {
    end(OUTCOME.failed)
    throw error
  }
  if (typeof result?.then !== 'function') {
    end(OUTCOME.finished)
    return result
  }
  result.then(() => end(OUTCOME.finished), () => end(OUTCOME.failed))
  return result
}

function report (directory, options = {}) {
  const found = JSON.parse(binding.load().report(directory, options))
  const boost = readBoost(directory)
  return boost.length > 0 ? { ...found, boost } : found
}

function probe () {
  return { ...recording.probe(), ...boosting.probe(readConfig().config) }
}

function metrics () {
  return prometheus(recording.status(), boosting.status())
}

module.exports = {
  report,
  start,
  stop: recording.stop,
  dump: recording.dump,
  status: recording.status,
  boostStatus: boosting.status,
  metrics,
  request,
  probe
}
