'use strict'

// The page that a person looks at: where it goes, and what is said of it.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { Failure, note } = require('./failure')
const { writeWhole } = require('./whole-file')

const NAME = 'report.html'
/** So many critical paths are told step by step. */
const PATHS = 100

/** @param {Record<string, any>} options of a report @param {string} directory of the trace @returns {Record<string, any>} those that its page needs */
function withColumns (options, directory) {
  return { ...options, columns: true, scratch: [directory, os.tmpdir()], stacks: true, slowest: Math.max(options.slowest ?? 0, PATHS) }
}

/**
 * @param {string | true} given as the user has named it; true: in the trace's directory
 * @param {string} directory of the trace
 * @param {Record<string, any>} report of all that withColumns() asks for
 * @returns {Promise<string>} its address
 * @throws {Failure} it cannot be written
 */
async function writePage (given, directory, { columns, ...report }) {
  const { pageOf } = require('../page') // Only here: other commands begin sooner.
  const file = given === true ? path.join(directory, NAME) : given
  const page = made(() => pageOf(report, columns))
  await writeWhole({ option: '--html', what: 'the page' }, file, directory, async (draft) => {
    await fs.promises.writeFile(draft, page, { mode: 0o600 }).catch(({ message }) => { throw new Failure(`cannot write the page to ${file}: ${message}`) })
  })
  return pathToFileURL(path.resolve(file)).href
}

/** @param {() => string} make @returns {string} */
function made (make) {
  try {
    return make()
  } catch (error) {
    throw new Failure(`no page: ${/** @type {Error} */ (error).message}`)
  }
}

/** The same where nobody has asked for it: if there can be none, that is said and nothing else happens. @param {string} directory @param {Record<string, any>} report */
async function offerPage (directory, report) {
  try {
    note(`page: ${await writePage(true, directory, report)}`)
  } catch (error) {
    note(/** @type {Error} */ (error).message)
  }
}

module.exports = { made, offerPage, withColumns, writePage }
