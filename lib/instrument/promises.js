'use strict'

// Causality through promises: each promise is stamped with the slice of the
// event that made it; a continuation that runs in another slice begins a new
// one, whose cause is the stamp. V8's promise hooks, no async_hooks: callbacks
// that involve no promise pay nothing.

const { executionAsyncId } = require('node:async_hooks')
const { WORD } = require('./requests')

const kSlice = Symbol('edgewise.slice')

/**
 * @param {import('./requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentPromises ({ calls, executing, words, idsKnown }) {
  const { promiseHooks } = require('node:v8') // Not before: few servers need it.
  let cause = -1 // the slice that caused `caused`
  let caused = -1
  return /** @type {() => void} */ (promiseHooks.createHook({
    init (promise) {
      // A tick or timer inside the event runs under an id of its own.
      if (idsKnown && executionAsyncId() !== executing[0]) calls.sliceOfId()
      promise[kSlice] = words[WORD.sequence]
    },
    before (promise) {
      const slice = promise[kSlice]
      if (slice === undefined || slice === words[WORD.sequence]) return
      // A chain of continuations from one cause is one slice.
      if (slice === cause && words[WORD.sequence] === caused) return
      calls.slice(slice)
      cause = slice
      caused = words[WORD.sequence]
    }
  }))
}

module.exports = { instrumentPromises }
