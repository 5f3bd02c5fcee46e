'use strict'

// From when on the continuations of requests are followed through promises.
// V8 inlines less of what is done with promises once they have hooks, which a
// server that answers at once would pay for nothing: what resumes a request is
// known without them as long as it is the request's own (its connection, a file
// that it reads). So they begin with the first thing that can resume several
// requests, or at the latest with the first request that is answered in another
// event than it began in, or while another is open.

const { ChildProcess } = require('node:child_process')
const dgram = require('node:dgram')
const { syncBuiltinESMExports } = require('node:module')
const net = require('node:net')
const promisesOfTimers = require('node:timers/promises')
const { MessagePort } = require('node:worker_threads')
const { WORD } = require('../servers/requests')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

// Whoever calls one of these gets something that many requests can use.
const OPENING = /** @type {[any, string][]} */ ([
  [net.Socket.prototype, 'connect'],
  [dgram.Socket.prototype, 'bind'],
  [ChildProcess.prototype, 'spawn'],
  [MessagePort.prototype, 'postMessage']
])
// Their timers run in one event with all others that are due.
const TIMING = /** @type {[any, string][]} */ ([
  [promisesOfTimers, 'setTimeout'],
  [promisesOfTimers, 'setImmediate'],
  [promisesOfTimers, 'setInterval']
])
// What process.getActiveResourcesInfo() calls streams, of which it does not say
// whether clients of this process's servers have opened them.
const STREAMS = new Set(['TCPServerWrap', 'TCPSocketWrap', 'PipeServerWrap', 'PipeWrap', 'TTYWrap'])

/** @type {Following | null} */
let waiting = null
let wrapped = false

// Once: each change of what others inherit has V8 compile them again.
function wrapOnce () {
  if (wrapped) return
  wrapped = true
  for (const [holder, name] of OPENING) before(holder, name, () => waiting?.begin())
  for (const [holder, name] of TIMING) before(holder, name, () => waiting?.timerSet())
  syncBuiltinESMExports()
}

function before (holder, name, tell) {
  wrap([holder], name, (original) => unseen().before(original, tell))
}

class Following {
  #words
  #follow
  #undo = () => {}
  #serves = false // A request has begun.
  #sequence = 0 // the slice in which the latest began

  /**
   * @param {Uint32Array} words
   * @param {(() => () => void) | null} follow follows from now on, and returns what undoes that; null: never
   */
  constructor (words, follow) {
    this.#words = words
    this.#follow = follow
    /** Whether there is nothing to wait for any more. */
    this.decided = follow === null
  }

  /** Waits for the first thing that is shared. */
  wait () {
    if (this.decided) return
    waiting = this
    wrapOnce()
  }

  begin () {
    if (this.decided) return
    this.stop()
    if (this.#follow !== null) this.#undo = this.#follow()
  }

  /** @param {boolean} overlaps another request is open */
  requestBegan (overlaps) {
    if (overlaps || (!this.#serves && somethingIsShared())) this.begin()
    this.#serves = true
    this.#sequence = this.#words[WORD.sequence]
  }

  /** The only one that was open; what undecided callers tell. */
  requestEnded () {
    if (this.#words[WORD.sequence] !== this.#sequence) this.begin()
  }

  // Before the first request, what starts a server sets some of its own.
  timerSet () {
    if (this.#serves) this.begin()
  }

  stop () {
    this.decided = true
    if (waiting === this) waiting = null
    this.#undo()
  }
}

/** @returns {boolean} whether this thread has more open than what it serves its clients with */
function somethingIsShared () {
  const handles = /** @type {any} */ (process)._getActiveHandles?.() // Not documented, but there since Node 0.
  return !handles?.every(isServing) || process.getActiveResourcesInfo().some((name) => !STREAMS.has(name))
}

// A server, a connection that it has accepted, stdout and stderr.
function isServing (handle) {
  return handle instanceof net.Server || Boolean(handle.server) || handle.fd === 1 || handle.fd === 2
}

module.exports = { Following }
