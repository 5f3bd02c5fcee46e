'use strict'

// Finds and loads the native addons.

const { ADDON, REPORTER, nextStep, whyMissing } = require('./native-files')

let loaded
/** @type {((native: any) => void)[]} */
const waiting = []

/**
 * @returns {any} the native functions that record and boost (src/addon)
 * @throws {Error} when the addon is missing or does not load, with the next step
 */
function load () {
  if (loaded) return loaded
  loaded = required(ADDON)
  for (const use of waiting.splice(0)) use(loaded)
  return loaded
}

/** @returns {any} the native functions that report (src/reporting) @throws {Error} as load() */
const loadReporter = () => required(REPORTER)

/** @param {string} file of an addon */
function required (file) {
  try {
    return require(file)
  } catch (error) {
    throw new Error(error.code === 'MODULE_NOT_FOUND'
      ? whyMissing()
      : `the addon does not load in Node ${process.version}: ${error.message.split('\n')[0]}; ${nextStep()}`)
  }
}

/** @param {(native: any) => void} use called now, or once somebody needs the addon: never, where nothing records or boosts */
function whenLoaded (use) {
  if (loaded) use(loaded)
  else waiting.push(use)
}

module.exports = { load, loadReporter, whenLoaded }
