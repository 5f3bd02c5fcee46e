'use strict'

// HTTP/2 servers: each stream is a request. Older Nodes have no channel for
// them, so servers are met where they are made.

const http2 = require('node:http2')
const { syncBuiltinESMExports } = require('node:module')
const { KIND, OUTCOME } = require('./requests')

const NO_ERROR = http2.constants.NGHTTP2_NO_ERROR

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it, for servers made before as well
 */
function instrumentHttp2 ({ calls, routes }) {
  let active = true

  function onStream (stream, headers) {
    if (!active) return
    const id = calls.requestStart(KIND.http2)
    if (!id) return
    const request = { method: headers[':method'] ?? '', url: headers[':path'] ?? '' }
    let ended = false
    const end = (outcome) => {
      if (ended || !active) return
      ended = true
      const status = Number(stream.sentHeaders?.[':status'] ?? 0)
      calls.requestEnd(id, routes.numberOf(request), status, outcome)
    }
    stream.once('finish', () => end(OUTCOME.finished))
    // A stream that both sides have ended may close without 'finish'.
    const isWhole = () => stream.writableEnded && stream.rstCode === NO_ERROR
    stream.once('close', () => end(isWhole() ? OUTCOME.finished : OUTCOME.aborted))
  }

  const originals = { createServer: http2.createServer, createSecureServer: http2.createSecureServer }
  for (const name of /** @type {const} */ (['createServer', 'createSecureServer'])) {
    http2[name] = function (...args) {
      const server = Reflect.apply(originals[name], this, args)
      server.prependListener('stream', onStream)
      return server
    }
  }
  syncBuiltinESMExports()
  return () => {
    active = false
    Object.assign(http2, originals)
    syncBuiltinESMExports()
  }
}

module.exports = { instrumentHttp2 }
