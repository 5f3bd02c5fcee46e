'use strict'

// What a truth program says about itself. It runs beside the recorder in the
// recorded process and uses the clock alone: no request, event or async id of
// the recorder's.
//
// A handler tells each step of its request: a stretch of code in one event of
// the loop, with the step that caused it. Times are CLOCK_MONOTONIC, ns, the
// clock of the report. With TRUTH_OBSERVER (observers.js) a step also holds what
// another tool says.

const cluster = /** @type {any} */ (require('node:cluster'))
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { parentPort, threadId } = require('node:worker_threads')
const { OBSERVERS } = require('./observers')

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string | string[]} type
 * @property {string | null} after
 * @property {number | null} ready
 * @property {number | null} since its begin, less the time that its event took for it before; null: not known
 * @property {number | null} begin
 * @property {number | null} end
 * @property {string} [observed] the route that the observer says
 *
 * @typedef {{ route: string, steps: Step[], path: string[], answering: number | null, end: number | null }} Truth answering..end: it ended then
 */

/** @type {Truth[]} */
const requests = []
let leftNs = 0
const observer = OBSERVERS[process.env.TRUTH_OBSERVER ?? '']?.()

/** @returns {number} CLOCK_MONOTONIC, ns; exact for 104 days after boot */
function now () {
  return Number(process.hrtime.bigint())
}

/**
 * Computes for `ms`, by the clock.
 * @param {number} ms
 */
function spin (ms) {
  const end = now() + ms * 1e6
  while (now() < end);
}

/** @returns {number} when a step last ended or began to answer, of whichever request, ns: what follows is no longer its request's */
function lastLeft () {
  return leftNs
}

/** One request, as its handler sees it. */
class Witness {
  /**
   * @param {string} route
   * @param {number | null} [begun] when its event came to its request, ns; null: not known
   */
  constructor (route, begun = null) {
    /** @type {Truth} */
    this.truth = { route, steps: [], path: [], answering: null, end: null }
    this.begun = begun
    requests.push(this.truth)
  }

  /**
   * The code that runs now is step `name`.
   * @param {string} name
   * @param {string | string[]} type the event's, of which one is right
   * @param {string | null} after the step that caused it
   * @param {number | null} [ready] since when it could have run, ns; null: not known
   * @param {number | null} [since] its begin, less the time that its event took for it before, ns
   */
  enter (name, type, after, ready = null, since = after === null ? this.begun : null) {
    /** @type {Step} */
    const step = { name, type, after, ready, since, begin: now(), end: null, observed: observer?.current() }
    this.truth.steps.push(step)
    return { leave: () => { step.end = leftNs = now() } }
  }

  /**
   * An event between two steps that shows the program no code of its own.
   * @param {string} name
   * @param {string | string[]} type
   * @param {string} after
   */
  hidden (name, type, after) {
    this.truth.steps.push({ name, type, after, ready: null, since: null, begin: null, end: null })
  }

  /**
   * Answers in the step `last`.
   * @param {http.ServerResponse} response
   * @param {{ leave: () => void }} last
   * @param {string[]} critical the steps of the critical path, in order
   */
  finish (response, last, critical) {
    const answering = now()
    response.end('done\n')
    last.leave()
    leftNs = answering
    this.ended(critical, answering)
  }

  /**
   * @param {string[]} critical
   * @param {number} [answering] when what ended it began
   */
  ended (critical, answering = now()) {
    this.truth.answering = answering
    this.truth.end = now()
    this.truth.path = critical
  }

  /**
   * What else is to know of the request: gc_ns, its pauses; components, the only
   * ones to compare; ends, that the path's middle is not ours to know; between, the
   * types of events in it that are not;
   * needsPromises, that events alone do not show its causality;
   * timesNeedPromises, that they do not show where its last step begins.
   */
  add (more) {
    Object.assign(this.truth, more)
  }
}

/**
 * When a timer set now is due: libuv counts whole milliseconds.
 * @param {number} ms
 */
function dueAfter (ms) {
  return (Math.floor(now() / 1e6) + ms) * 1e6
}

/** Writes what this thread's handlers told. */
function testify (more = {}) {
  const file = path.join(process.env.TRUTH_DIRECTORY ?? '.', `${process.pid}-${threadId}.json`)
  fs.writeFileSync(file, JSON.stringify({ process: process.pid, thread: threadId, requests, ...more }))
}

/**
 * Serves `handlers` by the first part of a request's path until whoever started
 * this process or worker thread says stop. `/warm` and what begins with `/w`
 * in a path's last part is there to have code compiled.
 * @param {Record<string, (witness: Witness, request: http.IncomingMessage, response: http.ServerResponse) => any>} handlers
 * @param {{ onStop?: () => void }} [options]
 */
function serve (handlers, { onStop = () => {} } = {}) {
  const begun = new WeakMap()
  const server = http.createServer((request, response) => {
    const handler = handlers[String(request.url).split('/')[1]]
    const route = `${request.method} ${request.url}`
    const handle = () => handler(new Witness(route, begun.get(request.socket)), request, response)
    if (observer) observer.run(route, handle)
    else handle()
  })
  server.on('connection', (socket) => { whenMessageBegins(socket, () => begun.set(socket, now())) })
  server.listen(0, '127.0.0.1', () => tell({ port: /** @type {any} */ (server.address()).port }))
  whenTold(() => {
    server.close()
    server.closeAllConnections()
    onStop()
    testify()
  })
}

// What Node does from here to the handler takes 50 µs, and 300 after a sleep that cost it its caches.
function whenMessageBegins (socket, callback) {
  const ON_MESSAGE_BEGIN = 0 // HTTPParser.kOnMessageBegin, which Node leaves to others.
  socket.parser[ON_MESSAGE_BEGIN] = callback
}

/** @param {object} message to whoever started this process or thread */
function tell (message) {
  if (parentPort) parentPort.postMessage(message)
  else process.send?.(message)
}

/** @param {() => void} stop runs at the first message */
function whenTold (stop) {
  const channel = /** @type {any} */ (parentPort ?? process)
  channel.once('message', () => {
    stop()
    if (parentPort) parentPort.close()
    else process.disconnect()
  })
  // It is the harness's: an application that a shell starts has none. It is all
  // that keeps a worker of a cluster alive.
  if (!cluster.isWorker) process.channel?.unref()
}

module.exports = { Witness, dueAfter, lastLeft, now, serve, spin, tell, testify, whenTold }
