'use strict'

// HTTP/1.1 and HTTPS servers. A request begins on Node's own diagnostics
// channel. It ends where its last byte is handed to the kernel: usually inside
// response.end(), whose caller is the sink event; else (a response larger than
// the socket takes at once) with the last write before the response says so.
// One whose connection was destroyed before that is aborted, in whatever order
// the application has destroyed and ended it.

const channels = require('node:diagnostics_channel')
const { ServerResponse } = require('node:http')
const { EVENT_STREAM, answersByEvents } = require('./event-streams')
const { listenBefore } = require('../wrapping/listeners')
const { beginOpen, forgetOpen, latestOpen, open, openOf } = require('./open-requests')
const { lookUp } = require('./properties')
const { KIND, OUTCOME, WORD, serving } = require('./requests')
const { noteContext } = require('./trace-context')
const { unseen } = require('../wrapping/unseen')
const { insert, wrap } = require('../wrapping/wrap')

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentHttp (recording) {
  const { calls, following, words } = recording

  // The request that begins an event is left in a word for the recorder
  // (SharedWords in src/recorder/event_tracker.h): no call.
  function begin () {
    if (words[WORD.begun] !== 0) return calls.requestStart(KIND.http1)
    return (words[WORD.begun] = words[WORD.next]++)
  }

  function onStart (/** @type {any} */ message) {
    const id = begin()
    const overlaps = open(message, id)
    noteContext(calls, id, message.request.rawHeaders)
    serving.request = message.request
    if (!following.decided) following.requestBegan(overlaps)
  }

  const end = endingOf(recording)

  // The connection went away under its open responses.
  function abortOpen (opened) {
    for (const response of opened.responses()) end(opened, response, OUTCOME.aborted)
  }

  // All that waited is written, or given up: then it is called as well.
  function onFinish (/** @type {any} */ response) {
    const opened = openOf(socketOf(response)) // None when the application has taken it away.
    if (opened === undefined || opened.socket.errored) return
    words[WORD.written] = 0 // The last write may have been another's.
    end(opened, response, opened.socket.destroyed ? OUTCOME.aborted : OUTCOME.finished)
  }

  const restoreEnd = wrapEnd((response) => {
    const latest = latestOpen()
    if (latest.isBeingWritten(response)) return endOnceWritten(latest, response, latest.socket.writableLength)
    const opened = openOf(socketOf(response)) // No request when a test made the response.
    if (opened === undefined || opened.idOf(response) === 0) return // It began before recording did, or has ended.
    endOnceWritten(opened, response, response.writableLength)
  }, words)

  function endOnceWritten (opened, response, unwritten) {
    const { socket } = opened
    const written = words[WORD.written]
    // A write that failed leaves nothing unwritten either; the connection closes.
    if (written !== 0 && !socket.destroyed && !socket.errored && (unwritten === 0 || hasLeft(socket, written))) end(opened, response, OUTCOME.finished)
    else endLater(opened, response)
  }

  // Nothing of it was written by its end(), or not all.
  function endLater (opened, response) {
    const { socket } = opened
    if (socket.errored) return // Its end is that of the connection.
    if (socket.destroyed) end(opened, response, OUTCOME.aborted)
    else if (response.writableLength === 0) end(opened, response, OUTCOME.finished) // It was written before.
    else listenBefore(response, 'finish', onFinish) // Once, though end() may be called again.
  }

  beginOpen(abortOpen)
  channels.subscribe('http.server.request.start', onStart)
  return () => {
    channels.unsubscribe('http.server.request.start', onStart)
    restoreEnd()
    forgetOpen()
  }
}

// Node itself takes it from a request whose body is left early (`break` in `for
// await`). A response has it while it is written.
function socketOf (/** @type {any} */ response) {
  return response.req?.socket ?? response.socket
}

/**
 * @param {import('./requests').Recording} recording
 * @returns {(opened: any, response: any, outcome: number) => void} tells the end of a request; once, however often it is called
 */
function endingOf ({ calls, following, routes, words }) {
  // Each property that is read of the two objects, here and in the routes, is
  // dear where they are Express's: see properties.js.
  return function end (opened, response, outcome) {
    const id = opened.idOf(response)
    if (id === 0) return
    const request = routes.ofExpress ? lookUp(response, 'req') : response.req
    const matched = routes.numberOf(request, opened.routeOf(response))
    const route = answersByEvents(response) ? routes.numberOfDetailed(matched, EVENT_STREAM) : matched
    opened.remove(response)
    if (!following.decided) following.requestEnded()
    const status = (routes.ofExpress ? lookUp(response, 'statusCode') : response.statusCode) | 0
    if (outcome !== OUTCOME.finished) {
      calls.requestEnd(id, route, status, outcome)
    } else if (words[WORD.written] !== 0 && words[WORD.ended] === 0) {
      // Its last byte was just written, as the recorder has seen: no call.
      words[WORD.endedRoute] = route
      words[WORD.endedStatus] = status
      words[WORD.ended] = id
    } else {
      calls.requestEndWritten(id, route, status, opened.socket._handle?.fd)
    }
  }
}

/**
 * Over TLS a write is told to be done in a later event only.
 * @param {any} socket
 * @param {number} written so many bytes, by what the socket was given now
 * @returns {boolean} whether that is all that it had: nothing waits for its turn, in JavaScript, in TLS or for the kernel
 */
function hasLeft (socket, written) {
  const handle = socket._handle
  const below = handle?._parent // Of TLS only.
  return below !== undefined && handle.writeQueueSize === written && below.writeQueueSize === 0 && socket._writableState.bufferedRequestCount === 0
}

/**
 * Calls `after` when a response's end() has returned: that of its prototype, or
 * the one that this inherits.
 * @param {(response: any) => void} after
 * @param {Uint32Array} words
 * @returns {() => void} undoes it
 */
function wrapEnd (after, words) {
  let over = false // Somebody may have wrapped it again.
  const { prototype } = ServerResponse
  const { end: own } = prototype
  const tell = (/** @type {any} */ response) => { if (!over) after(response) }
  const around = (/** @type {any} */ holder) => unseen().ending(holder, words, WORD.written, tell)
  const restore = Object.hasOwn(prototype, 'end') ? wrap([prototype], 'end', () => around({ end: own })) : insert(prototype, ['end'], around)
  return () => {
    over = true
    restore()
  }
}

module.exports = { instrumentHttp }
