'use strict'

// One request, whatever protocol carries it: its begin, its end, its route.

const KIND = { http1: 0, http2: 1, custom: 2 }
const OUTCOME = { finished: 0, aborted: 1, failed: 2 }

/**
 * @typedef {object} Recording what the instrumented code of this thread calls
 * @property {{ requestStart: (kind: number) => number,
 *   requestEnd: (request: number, route: number, status: number, outcome: number) => void,
 *   slice: (sequence: number) => void, sliceOfId: () => void }} calls
 * @property {import('./routes').RouteTable} routes
 * @property {Float64Array} words [executing async id, slice sequence]
 * @property {Uint32Array} requests [the request that began the event, the next request's number]
 * @property {boolean} idsKnown whether words[0] is kept
 */

module.exports = { KIND, OUTCOME }
