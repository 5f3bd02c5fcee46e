'use strict'

// Wrappers whose frames are in no stack trace: see unseen-functions.js. They
// are made when the first recording or boosting begins, as the addon is loaded.

const fs = require('node:fs')
const path = require('node:path')
const { load } = require('../../native/binding')

const FILE = path.join(__dirname, 'unseen-functions.js')

/** @type {ReturnType<typeof import('./unseen-functions')> | null} */
let functions = null

/** @returns {ReturnType<typeof import('./unseen-functions')>} */
function unseen () {
  functions ??= load().runUnseen(`(function (module) {${fs.readFileSync(FILE, 'utf8')}\nreturn module.exports })`, FILE)({})(Function.prototype)
  return /** @type {any} */ (functions)
}

module.exports = { unseen }
