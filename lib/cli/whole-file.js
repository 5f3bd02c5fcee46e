'use strict'

// A file that a report writes: beside its place, and put there when it is
// whole, so that a report that fails or is interrupted leaves what was there.
// Never a trace.

const fs = require('node:fs')
const path = require('node:path')
const { EXIT, Failure } = require('./failure')
const { traceFiles } = require('./recording')

/**
 * @template T
 * @param {{ option: string, what: string }} named the option that names it; what is written there
 * @param {string} file as it was given
 * @param {string} directory of the trace
 * @param {(path: string) => Promise<T>} write
 * @returns {Promise<T>}
 * @throws {Failure} it is a trace, or cannot be written
 */
async function writeWhole ({ option, what }, file, directory, write) {
  const given = path.resolve(file)
  const there = fs.statSync(given, { throwIfNoEntry: false })
  if (given.endsWith('.ewt') || tracesIn(directory).some((trace) => isSame(trace, there))) {
    throw new Failure(`${option} ${file} would overwrite a trace: choose another file`, EXIT.usage)
  }
  // Devices and pipes, and what stands for an open file, are written directly.
  if (there?.isFile() === false || /^\/(dev|proc)\//.test(given)) return write(given)
  const place = there ? fs.realpathSync(given) : given
  const draft = `${place}.${process.pid}`
  const without = (/** @type {any} */ { message }) => message.replaceAll(draft, place)
  try {
    fs.closeSync(fs.openSync(draft, 'wx', 0o600))
  } catch (error) {
    throw new Failure(`cannot write ${what} to ${file}: ${without(error)}`)
  }
  try {
    const result = await write(draft)
    fs.renameSync(draft, place)
    return result
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw Object.assign(/** @type {Error} */ (error), { message: without(error) })
  }
}

/** @param {string} directory @returns {fs.Stats[]} of what is there: that it is none, no directory, or a link leads nowhere, the report says */
function tracesIn (directory) {
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return []
  return traceFiles(directory).flatMap((trace) => fs.statSync(trace, { throwIfNoEntry: false }) ?? [])
}

/**
 * @param {fs.Stats} one
 * @param {fs.Stats | undefined} other
 */
function isSame (one, other) {
  return one.dev === other?.dev && one.ino === other.ino
}

module.exports = { writeWhole }
