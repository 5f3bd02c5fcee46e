'use strict'

// All that is asked in JavaScript, in the order in which it is put into place.

const { adoptConnections } = require('./servers/adopted')
const { instrumentClients } = require('./clients/clients')
const { instrumentFastify } = require('./frameworks/fastify')
const { Following } = require('./promises/following')
const { instrumentFrameworks } = require('./frameworks')
const { instrumentHttp } = require('./servers/http')
const { instrumentHttp2 } = require('./servers/http2')
const { instrumentHttp2Clients } = require('./clients/http2-clients')
const { instrumentProcesses } = require('./clients/processes')
const { instrumentPromises } = require('./promises/promises')
const { RouteTable } = require('./servers/routes')
const { instrumentTimers } = require('./promises/timers')

/**
 * @param {any} native what src/addon exports, started
 * @param {any} found what that observes
 * @param {boolean} promises whether their causality is followed here
 * @returns {import('./servers/requests').Recording}
 */
function recordingOf (native, found, promises) {
  const memory = native.words()
  const executing = new Float64Array(memory, 0, 1)
  const words = new Uint32Array(memory, executing.byteLength)
  const following = new Following(words, promises ? () => instrumentPromises(recording) : null)
  const routes = new RouteTable(native.internString)
  const recording = { calls: native.calls, routes, executing, words, following, idsKnown: found.asyncIds === true }
  return recording
}

/**
 * @param {import('./servers/requests').Recording} recording
 * @param {boolean} promises as for recordingOf()
 * @param {(() => void)[]} undo gets what undoes each step, also where the next one throws
 */
function instrument (recording, promises, undo) {
  undo.push(() => recording.following.stop())
  recording.following.wait()
  undo.push(adoptConnections(recording))
  undo.push(instrumentHttp(recording))
  undo.push(instrumentHttp2(recording))
  undo.push(instrumentHttp2Clients(recording))
  undo.push(instrumentClients(recording))
  undo.push(instrumentProcesses(recording))
  undo.push(instrumentFastify())
  undo.push(instrumentFrameworks(recording, promises))
  if (promises) undo.push(instrumentTimers(recording))
}

module.exports = { instrument, recordingOf }
