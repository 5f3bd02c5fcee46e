'use strict'

// Finds and loads the native addon.

const { ADDON, KEY, nextStep } = require('./native-files')

let loaded
/** @type {((native: any) => void)[]} */
const waiting = []

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
      ? `the addon is not built for Node ${process.version} (${KEY}); ${nextStep()}`
      : `the addon does not load in Node ${process.version}: ${error.message.split('\n')[0]}; ${nextStep()}`)
  }
  for (const use of waiting.splice(0)) use(loaded)
  return loaded
}

/** @param {(native: any) => void} use called now, or once somebody needs the addon: never, where nothing records or boosts */
function whenLoaded (use) {
  if (loaded) use(loaded)
  else waiting.push(use)
}

module.exports = { load, whenLoaded }
