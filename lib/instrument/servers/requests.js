'use strict'

// One request, whatever protocol carries it: its begin, its end, its route.

const KIND = { http1: 0, http2: 1, custom: 2 }
const OUTCOME = { finished: 0, aborted: 1, failed: 2 }

/** What the elements of Recording.words are: SharedWords in src/recorder/event_tracker.h. */
const WORD = { begun: 0, next: 1, written: 2, ended: 3, endedRoute: 4, endedStatus: 5, sequence: 6 }

/**
 * @typedef {object} Recording what the instrumented code of this thread calls
 * @property {{ requestStart: (kind: number, stream?: number) => number,
 *   requestContext: (request: number, traceparent: unknown, requestId: unknown) => void,
 *   requestEnd: (request: number, route: number, status: number, outcome: number) => void,
 *   requestEndWritten: (request: number, route: number, status: number, fd: number | undefined) => void,
 *   requestEndAwaited: (request: number, route: number, status: number, fd: number) => void,
 *   requestEndLost: (request: number) => void,
 *   slice: (sequence: number, dueMs?: number) => void, timerAfter: (ms: number) => number, sliceOfId: (dueMs?: number) => void, timerClock: (nowMs: number) => void,
 *   process: (asyncId: number, fd: number, program: string) => void, adopt: (fd: number) => void, askedContext: (fd: number, traceparent: unknown, requestId: unknown) => void, https: (fd: number, method: string, path: string) => void,
 *   stream: (fd: number, method: string, path: string, grpc: boolean, stream: number, asyncId: number, wait: number) => void, waits: (wait: number) => void, askedFor: (fd: number, wait: number) => void }} calls
 * @property {import('./routes').RouteTable} routes
 * @property {Float64Array} executing [async id that the current slice runs under]
 * @property {Uint32Array} words what else is shared with the recorder: WORD
 * @property {import('../promises/following').Following} following
 * @property {boolean} idsKnown whether `executing` is kept
 */

/** The HTTP request of this thread that began last, for the line that tells of a stall. @type {{ request: any }} */
const serving = { request: null }

module.exports = { KIND, OUTCOME, WORD, serving }
