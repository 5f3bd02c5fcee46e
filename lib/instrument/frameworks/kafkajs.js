'use strict'

// Each message that a consumer is given is a request, by its topic; so is each
// batch, where it takes batches.

const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')
const { callsAsRequests } = require('./handled')

/** @type {Record<string, import('./handled').NameOf>} */
const HANDLERS = {
  eachMessage: (runner, { topic }) => `KAFKA ${topic}`,
  eachBatch: (runner, { batch }) => `KAFKA ${batch.topic} batch`
}

/** @type {WeakSet<object>} runners, which start again after an error */
const met = new WeakSet()

function starting (/** @type {any} */ runner) {
  if (met.has(runner)) return
  met.add(runner)
  for (const [name, nameOf] of Object.entries(HANDLERS)) {
    if (typeof runner[name] === 'function') runner[name] = callsAsRequests(runner[name], nameOf)
  }
}

module.exports = {
  meet ({ prototype }) {
    wrap([prototype], 'start', (start) => unseen().before(start, starting))
  }
}
