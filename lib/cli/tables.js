'use strict'

// The tables of recordings: written beside their place, and put there when all
// are whole.

const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { SCHEMA, placeOf } = require('../export/layout')
const { makeDirectory } = require('../make-directory')
const { Failure } = require('./failure')
const { traceFiles } = require('./recording')
const { analyse } = require('./report')

const CACHE = '.edgewise-tables'

/**
 * @typedef {object} Exporting
 * @property {string} [app] as it is named in the tables' place; otherwise by the program
 * @property {string} [host] likewise; otherwise by the recording
 * @property {number} [percentile]
 * @property {AbortSignal} signal
 * @property {(directory: string) => (share: number) => void} progress
 */

/**
 * @typedef {object} Exported
 * @property {string} place with the tables
 * @property {number} events
 * @property {number} requests
 * @property {string[]} warnings
 */

/**
 * @param {string[]} directories with traces
 * @param {string} out where the tables go, below it
 * @param {Exporting} options
 * @returns {Promise<Exported[] | null>} null: it was interrupted, and has left nothing
 * @throws {Failure} nothing is left either
 */
async function exportTables (directories, out, options) {
  const root = path.resolve(out)
  const existed = fs.existsSync(root)
  const draft = path.join(root, `.draft-${process.pid}`)
  writable(() => makeDirectory(root), out)
  try {
    writable(() => fs.mkdirSync(draft, { mode: 0o700 }), out)
    const drafts = []
    for (const [i, directory] of directories.entries()) {
      const tables = path.join(draft, String(i))
      const made = await oneExport(directory, tables, options)
      if (!made) return null
      drafts.push({ ...made, tables })
    }
    return publish(drafts, root, out)
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
    if (!existed) removeEmpty(root)
  }
}

/** @param {string} directory @param {string} tables @param {Exporting} options */
async function oneExport (directory, tables, { app, host, percentile, signal, progress }) {
  writable(() => fs.mkdirSync(tables, { mode: 0o700 }), tables)
  const asked = { percentile, tables, scratch: [path.dirname(tables), os.tmpdir()], slowest: 0 }
  const found = await analyse(directory, asked, signal, progress(directory))
  if (!found) return null
  return { place: placeOf(found.recording, { app, host }), events: found.events.count, requests: found.requests.count, warnings: found.warnings }
}

/**
 * @param {(Exported & { tables: string })[]} drafts
 * @param {string} root
 * @param {string} out as it was given
 * @returns {Exported[]}
 */
function publish (drafts, root, out) {
  const done = drafts.map(({ tables, place, ...rest }) => ({ ...rest, tables, place: path.join(root, place) }))
  for (const [i, { place }] of done.entries()) {
    const twice = done.slice(0, i).some((other) => other.place === place)
    if (fs.existsSync(place) || twice) {
      throw new Failure(`${place} exists: ${twice ? 'a trace is given twice' : 'this trace has been exported there; remove that, or choose another --out'}`)
    }
  }
  return done.map(({ tables, ...exported }) => {
    writable(() => {
      makeDirectory(path.dirname(exported.place))
      fs.renameSync(tables, exported.place)
    }, out)
    return exported
  })
}

/** @param {() => void} write @param {string} out */
function writable (write, out) {
  try {
    write()
  } catch (error) {
    throw new Failure(`cannot write tables to ${out}: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {string} directory */
function removeEmpty (directory) {
  try {
    fs.rmdirSync(directory)
  } catch {} // It holds something, or was never made.
}

/**
 * The tables of a trace, for questions: kept beside it as long as it is as it
 * was; where that cannot be, until we end.
 *
 * @param {string} directory
 * @param {Exporting} options
 * @returns {Promise<string | null>} the directory that they are below; null: it was interrupted
 */
async function cachedTables (directory, options) {
  const caches = path.join(directory, CACHE)
  const cache = path.join(caches, keyOf(directory))
  if (fs.existsSync(cache)) return cache
  if (!isWritable(directory)) {
    const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-tables-'))
    process.once('exit', () => fs.rmSync(temporary, { recursive: true, force: true }))
    return await exportTables([directory], temporary, options) && temporary
  }
  fs.rmSync(caches, { recursive: true, force: true })
  const draft = `${cache}.${process.pid}`
  try {
    if (!await exportTables([directory], draft, options)) return null
    fs.renameSync(draft, cache)
    return cache
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
    removeEmpty(caches)
  }
}

/** @param {string} directory @returns {string} another one when a file of its trace has changed, or other tables are made of it */
function keyOf (directory) {
  const { version } = require('../../package.json')
  const files = traceFiles(directory).sort().map((file) => {
    const { size, mtimeMs } = fs.statSync(file)
    return [path.basename(file), size, mtimeMs]
  })
  return crypto.createHash('sha256').update(JSON.stringify([SCHEMA, version, files])).digest('hex').slice(0, 16)
}

/** @param {string} directory */
function isWritable (directory) {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

module.exports = { cachedTables, exportTables }
