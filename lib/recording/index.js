'use strict'

// Recording in this thread, on and off any number of times. What records is
// loaded when that is first asked for: each full collection of a server that
// does not record would go through it for nothing (docs/cost.md).

// It meets servers from now on, whenever recording begins.
require('../instrument/frameworks/fastify')

/** @type {typeof import('./recorder') | null} */
let recorder = null

function loaded () {
  recorder ??= require('./recorder')
  return recorder
}

/** @type {string | null} said by a thread that ends while it records, after what was lost; null: nothing is */
let farewell = null

function sayAtEnd (/** @type {string} */ text) {
  farewell = text
}

/** @param {import('../config').Config} config @returns {string} */
const start = (config) => loaded().start(config, farewell)

/** @type {typeof import('./recorder').stop} */
const stop = () => recorder?.stop()

/** @type {typeof import('./recorder').dump} */
const dump = () => loaded().dump()

/** @type {typeof import('./recorder').sample} */
const sample = (hz) => loaded().sample(hz)

/** @type {typeof import('./recorder').perfMap} */
const perfMap = (on) => loaded().perfMap(on)

/** @type {typeof import('./recorder').status} */
const status = () => recorder ? recorder.status() : { recording: false }

/** @type {typeof import('./recorder').active} */
const active = () => recorder && recorder.active()

/** @type {typeof import('./recorder').probe} */
const probe = () => loaded().probe()

module.exports = { sayAtEnd, start, stop, dump, sample, perfMap, status, active, probe }
