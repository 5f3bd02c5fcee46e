'use strict'

const fs = require('node:fs')

/** Says one line to the user. @param {string} text */
function say (text) {
  try {
    fs.writeSync(2, `edgewise: ${text}\n`) // A stream would tell the application that it is gone, by an error that ends it.
  } catch { /* stderr is gone; there is nobody to tell */ }
}

module.exports = { say }
