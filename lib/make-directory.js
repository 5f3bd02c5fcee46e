'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * Creates `directory` and what is missing above it, for this user only.
 *
 * Not fs.mkdirSync's `recursive`: where the kernel answers ENOENT below a
 * directory that exists (/proc), Node 20 tries again for ever.
 *
 * @param {string} directory absolute
 * @throws {Error} the kernel's reason, with the path
 */
function makeDirectory (directory) {
  const missing = []
  for (let at = directory; !fs.existsSync(at); at = path.dirname(at)) missing.push(at)
  for (const each of missing.reverse()) {
    try {
      fs.mkdirSync(each, { mode: 0o700 })
    } catch (error) {
      // Another process of the application may have been faster.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    }
  }
  if (!fs.statSync(directory).isDirectory()) {
    throw Object.assign(new Error(`ENOTDIR: not a directory, '${directory}'`), { code: 'ENOTDIR' })
  }
}

/**
 * Creates a file for this user only, under the first name that nobody has: `STEM.EXTENSION`, `STEM.1.EXTENSION`, and so on.
 * @param {string} directory
 * @param {string} stem
 * @param {string} extension
 * @returns {string} its path
 * @throws {Error} it cannot be created
 */
function newFile (directory, stem, extension) {
  for (let run = 0; ; run++) {
    const file = path.join(directory, `${stem}${run > 0 ? `.${run}` : ''}.${extension}`)
    try {
      fs.closeSync(fs.openSync(file, 'wx', 0o600))
      return file
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    }
  }
}

module.exports = { makeDirectory, newFile }
