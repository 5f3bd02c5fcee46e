'use strict'

// Causality through promises: each promise is stamped with the slice of the
// event that made it; a continuation that runs in another slice begins a new
// one, whose cause is the stamp. V8's promise hooks, no async_hooks: callbacks
// that involve no promise pay nothing.

const { executionAsyncId } = require('node:async_hooks')
const { Due } = require('./due')
const { Given } = require('../wrapping/given')
const { WORD } = require('../servers/requests')

/** A promise, and the slice that made it. */
class Stamped extends Given {
  #slice

  constructor (/** @type {Promise<any>} */ promise, /** @type {number} */ slice) {
    super(promise)
    this.#slice = slice
  }

  static sliceOf (/** @type {any} */ promise) {
    return #slice in promise ? promise.#slice : undefined
  }
}

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentPromises ({ calls, executing, words, idsKnown }) {
  const { promiseHooks } = require('node:v8') // Not before: few servers need it.
  let cause = -1 // the slice that caused `caused`
  let caused = -1
  return /** @type {() => void} */ (promiseHooks.createHook({
    init (promise, source) {
      // A tick or timer inside the event runs under an id of its own.
      if (idsKnown && executionAsyncId() !== executing[0]) calls.sliceOfId()
      new Stamped(promise, words[WORD.sequence]) // eslint-disable-line no-new
      Due.inherit(promise, source)
    },
    before (promise) {
      const slice = Stamped.sliceOf(promise)
      if (slice === undefined || slice === words[WORD.sequence]) return
      const due = Due.of(promise)
      // A chain of continuations from one cause is one slice.
      if (slice === cause && words[WORD.sequence] === caused && due === undefined) return
      calls.slice(slice, due)
      cause = slice
      caused = words[WORD.sequence]
    }
  }))
}

module.exports = { Stamped, instrumentPromises }
