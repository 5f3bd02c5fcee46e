'use strict'

// What the tools that people use say at a step of a program: whose request the
// code is that runs. They observe in the program's own process, in place of the
// recorder, and know no more than that a handler is for a request.

const { AsyncLocalStorage, createHook, executionAsyncId } = require('node:async_hooks')

/**
 * @typedef {object} Observer
 * @property {(route: string, handler: () => void) => void} run a request's handler
 * @property {() => string | undefined} current the request that runs, as far as it knows
 */

/** @returns {Observer} */
function asyncLocalStorage () {
  const storage = new AsyncLocalStorage()
  return { run: (route, handler) => storage.run(route, handler), current: () => storage.getStore() }
}

/**
 * The chain of triggers, from what runs back to a handler.
 * @returns {Observer}
 */
function asyncHooks () {
  const triggers = new Map()
  const owners = new Map()
  createHook({ init: (id, type, trigger) => triggers.set(id, trigger) }).enable()
  return {
    run (route, handler) {
      // All requests of a connection have one id: the latest has it.
      owners.set(executionAsyncId(), route)
      handler()
    },
    current () {
      for (let id = executionAsyncId(); id !== undefined; id = triggers.get(id)) {
        if (owners.has(id)) return owners.get(id)
      }
    }
  }
}

/** @type {Record<string, () => Observer>} */
const OBSERVERS = { AsyncLocalStorage: asyncLocalStorage, async_hooks: asyncHooks }

module.exports = { OBSERVERS }
