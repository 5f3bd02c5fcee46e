'use strict'

// What a truth program says about itself. It runs beside the recorder in the
// recorded process and uses the clock alone: no request, event or async id of
// the recorder's.
//
// A handler tells each step of its request: a stretch of code in one event of
// the loop, with the step that caused it. Times are CLOCK_MONOTONIC, ns, the
// clock of the report. With TRUTH_OBSERVER (observers.js) a step also holds what
// another tool says.

const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { performance } = require('node:perf_hooks')
const { parentPort, threadId } = require('node:worker_threads')
const { OBSERVERS } = require('./observers')

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string | string[]} type
 * @property {string | null} after
 * @property {number | null} ready
 * @property {number | null} begin
 * @property {number | null} end
 * @property {number | null} [stretchBefore] of Node's own work before it: an index of `stretches`
 * @property {number | null} [stretchAfter] the same after it
 * @property {string} [observed] the route that the observer says
 *
 * @typedef {{ route: string, steps: Step[], path: string[], end: number | null }} Truth
 */

/** @type {Truth[]} */
const requests = []
const observer = OBSERVERS[process.env.TRUTH_OBSERVER ?? '']?.()

/** @type {number[]} ns that the loop's thread was busy between one piece of the handlers' code and the next */
const stretches = []
/** Which piece ended last, when, and how long the loop had been idle then; and how many are open. */
const last = { step: /** @type {Step | null} */ (null), at: now(), idle: idleNs(), open: 0 }

/** @returns {number} CLOCK_MONOTONIC, ns; exact for 104 days after boot */
function now () {
  return Number(process.hrtime.bigint())
}

/** @returns {number} how long libuv says that this thread's loop has been idle, ns */
function idleNs () {
  return performance.nodeTiming.idleTime * 1e6
}

/**
 * A piece of the handlers' code begins: what the thread did since the last one
 * ended, idle time left out, was Node's own work, which no handler sees.
 * @param {Step} step
 */
function beginPiece (step) {
  if (last.open++ > 0) return
  const stretch = stretches.push(Math.max(0, now() - last.at - (idleNs() - last.idle))) - 1
  step.stretchBefore = stretch
  if (last.step) last.step.stretchAfter = stretch
}

/** @param {Step} step */
function endPiece (step) {
  if (--last.open > 0) return
  Object.assign(last, { step, at: now(), idle: idleNs() })
}

/**
 * Computes for `ms`, by the clock.
 * @param {number} ms
 */
function spin (ms) {
  const end = now() + ms * 1e6
  while (now() < end);
}

/** One request, as its handler sees it. */
class Witness {
  constructor (route) {
    /** @type {Truth} */
    this.truth = { route, steps: [], path: [], end: null }
    requests.push(this.truth)
  }

  /**
   * The code that runs now is step `name`.
   * @param {string} name
   * @param {string | string[]} type the event's, of which one is right
   * @param {string | null} after the step that caused it
   * @param {number | null} [ready] since when it could have run, ns; null: not known
   */
  enter (name, type, after, ready = null) {
    /** @type {Step} */
    const step = { name, type, after, ready, begin: null, end: null, observed: observer?.current() }
    this.truth.steps.push(step)
    beginPiece(step)
    step.begin = now()
    return {
      leave: () => {
        step.end = now()
        endPiece(step)
      }
    }
  }

  /**
   * An event between two steps that shows the program no code of its own.
   * @param {string} name
   * @param {string | string[]} type
   * @param {string} after
   */
  hidden (name, type, after) {
    this.truth.steps.push({ name, type, after, ready: null, begin: null, end: null })
  }

  /**
   * Answers in the step `last`.
   * @param {http.ServerResponse} response
   * @param {{ leave: () => void }} last
   * @param {string[]} critical the steps of the critical path, in order
   */
  finish (response, last, critical) {
    response.end('done\n')
    last.leave()
    this.ended(critical)
  }

  /** @param {string[]} critical */
  ended (critical) {
    this.truth.end = now()
    this.truth.path = critical
  }

  /**
   * What else is to know of the request: gc_ns, its pauses; components, the only
   * ones to compare; ends, that the path's middle is not ours to know;
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
  fs.writeFileSync(file, JSON.stringify({ process: process.pid, thread: threadId, requests, stretches, ...more }))
}

/**
 * Serves `handlers` by the first part of a request's path until whoever started
 * this process or worker thread says stop. `/warm` and what begins with `/w`
 * in a path's last part is there to have code compiled.
 * @param {Record<string, (witness: Witness, request: http.IncomingMessage, response: http.ServerResponse) => any>} handlers
 * @param {{ onStop?: () => void }} [options]
 */
function serve (handlers, { onStop = () => {} } = {}) {
  const server = http.createServer((request, response) => {
    const handler = handlers[String(request.url).split('/')[1]]
    const route = `${request.method} ${request.url}`
    const handle = () => handler(new Witness(route), request, response)
    if (observer) observer.run(route, handle)
    else handle()
  })
  server.listen(0, '127.0.0.1', () => tell({ port: /** @type {any} */ (server.address()).port }))
  whenTold(() => {
    server.close()
    server.closeAllConnections()
    onStop()
    testify()
  })
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
}

module.exports = { Witness, dueAfter, now, serve, spin, tell, testify, whenTold }
