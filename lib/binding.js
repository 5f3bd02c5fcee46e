'use strict'

// Finds and loads the native addon.

const { isMainThread } = require('node:worker_threads')
const { ADDON, KEY } = require('./native-files')

let loaded

/**
 * @returns {any} the native functions (src/addon)
 * @throws {Error} when the addon is missing or does not load, with the next step
 */
function load () {
  if (loaded) return loaded
  try {
    loaded = require(ADDON)
  } catch (error) {
    const missing = error.code === 'MODULE_NOT_FOUND'
    throw new Error(missing
      ? `the addon is not built for Node ${process.version} (${KEY}); run scripts/build-addon with this node`
      : `the addon does not load in Node ${process.version}: ${error.message.split('\n')[0]}; run scripts/build-addon with this node`)
  }
  if (isMainThread) process.on('removeListener', catchAgain)
  return loaded
}

// Where the application's last listener goes libuv leaves the system's default
// behind; a listener of once() goes before it is called, and may raise the
// signal again. Which signals end a process, and whether somebody else still
// catches them, is known there.
function catchAgain (/** @type {string | symbol} */ event) {
  if (/^SIG/.test(String(event))) loaded.catchTermination()
}

module.exports = { load }
