'use strict'

// Files that a trace or a script names are opened with care: only regular ones,
// and no more of them than fits.

const fs = require('node:fs')
const { fileURLToPath } = require('node:url')
const v8 = require('node:v8')

const MIB = 2 ** 20
/** Text and what is parsed of it are in memory at once. */
const MOST_BYTES = Math.min(256 * MIB, Math.floor(v8.getHeapStatistics().heap_size_limit / 8))

/** @type {Record<string, string>} */
const WORDS = { ENOENT: 'is not there', ENOTDIR: 'is not there', EACCES: 'may not be read', EPERM: 'may not be read' }

/** Why a file tells nothing, in words for the user. */
class Unreadable extends Error {
  /** @param {string} why @param {boolean} [missing] the file does not exist */
  constructor (why, missing = false) {
    super(why)
    this.missing = missing
  }
}

/**
 * @typedef {object} Opened
 * @property {number} size
 * @property {number} mtimeMs
 * @property {(from: number, length: number) => Buffer} read no more than there is
 */

/**
 * @template T
 * @param {string} file
 * @param {(opened: Opened) => T} use
 * @returns {T}
 * @throws {Unreadable}
 */
function withFile (file, use) {
  const fd = opened(file)
  try {
    const { size, mtimeMs } = fs.fstatSync(fd)
    return use({ size, mtimeMs, read: (from, length) => readFrom(fd, from, Math.min(length, size - from)) })
  } catch (error) {
    throw inWords(file, error)
  } finally {
    fs.closeSync(fd)
  }
}

/** @param {string} file @returns {string} all of it */
function textOf (file) {
  return withFile(file, ({ size, read }) => {
    if (size > MOST_BYTES) throw new Unreadable(`${file} is larger than ${Math.floor(MOST_BYTES / MIB)} MiB`)
    return read(0, size).toString('utf8')
  })
}

// Asked before it is opened, as opening alone can do something to a device; and
// after, as it may have been replaced: a FIFO without a writer does not wait.
function opened (/** @type {string} */ file) {
  let fd
  try {
    if (fs.statSync(file).isFile()) fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  } catch (error) {
    throw inWords(file, error)
  }
  if (fd !== undefined && fs.fstatSync(fd).isFile()) return fd
  if (fd !== undefined) fs.closeSync(fd)
  throw new Unreadable(`${file} is no regular file`)
}

function readFrom (/** @type {number} */ fd, /** @type {number} */ from, /** @type {number} */ length) {
  const buffer = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const bytes = fs.readSync(fd, buffer, done, length - done, from + done)
    if (bytes === 0) break
    done += bytes
  }
  return buffer.subarray(0, done)
}

/** @param {string} file @param {any} error */
function inWords (file, error) {
  if (error instanceof Unreadable || !error.code) return error
  const words = WORDS[error.code] ?? `cannot be read (${error.code ?? error.message})`
  return new Unreadable(`${file} ${words}`, words === WORDS.ENOENT)
}

/** @param {string} name of a script, as V8 has it @returns {string | null} its path; null: it is no file's */
function pathOf (name) {
  if (name.startsWith('/')) return name
  try {
    return name.startsWith('file://') ? fileURLToPath(name) : null
  } catch {
    return null
  }
}

module.exports = { MIB, MOST_BYTES, Unreadable, pathOf, textOf, withFile }
