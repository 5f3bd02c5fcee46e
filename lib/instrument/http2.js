'use strict'

// HTTP/2 servers: each stream is a request. Older Nodes have no channel for
// them, so servers are met where they are made, whether anything records then
// or only later.

const http2 = require('node:http2')
const { syncBuiltinESMExports } = require('node:module')
const { KIND, OUTCOME } = require('./requests')

const NO_ERROR = http2.constants.NGHTTP2_NO_ERROR

/** @type {import('./requests').Recording | null} of this thread, now */
let current = null

for (const name of /** @type {const} */ (['createServer', 'createSecureServer'])) {
  const original = http2[name]
  const wrapper = /** @type {any} */ function () {
    const server = Reflect.apply(original, this, arguments)
    server.prependListener('stream', onStream)
    return server
  }
  http2[name] = Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
}
syncBuiltinESMExports()

function onStream (/** @type {any} */ stream, /** @type {any} */ headers) {
  if (current === null) return
  const recording = current
  recording.following.begin()
  const id = recording.calls.requestStart(KIND.http2)
  if (!id) return
  const request = { method: headers[':method'] ?? '', url: headers[':path'] ?? '' }
  let over = false
  const end = (/** @type {number} */ outcome) => {
    if (over || current !== recording) return
    over = true
    const status = Number(stream.sentHeaders?.[':status'] ?? 0)
    recording.calls.requestEnd(id, recording.routes.numberOf(request), status, outcome)
  }
  // A stream that is reset finishes too; one that both sides have ended may
  // close without 'finish'.
  const isWhole = () => stream.writableEnded && stream.rstCode === NO_ERROR
  const ended = () => end(isWhole() ? OUTCOME.finished : OUTCOME.aborted)
  stream.once('finish', ended)
  stream.once('close', ended)
}

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentHttp2 (recording) {
  current = recording
  return () => { current = null }
}

module.exports = { instrumentHttp2 }
