'use strict'

// How a command is recorded: through the environment, so that it reaches Node
// behind npm, shells, cluster workers and child processes alike.

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { makeDirectory } = require('../make-directory')
const { Failure } = require('./failure')

/** A server may listen before the part of it that is recorded begins. */
const BEGIN_MS = 3000
const LOOK_MS = 50
/** How Yarn tells Node where packages are, when it has no node_modules. */
const YARN = /(?:^|\s)(?:--require|-r)[\s=]+(?:"(?:[^"\\]|\\.)*\.pnp\.c?js"|\S*\.pnp\.c?js)/
const REGISTER = path.join(__dirname, '..', 'register.js')

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} out absolute path of the trace directory
 * @returns {NodeJS.ProcessEnv} the environment with recording switched on
 */
function recordedEnvironment (env, out) {
  // First, so that what the application preloads is recorded too. Node takes
  // "..." with \ escapes in NODE_OPTIONS; a path may hold spaces and quotes.
  const require = `--require "${REGISTER.replace(/[\\"]/g, '\\$&')}"`
  const given = env.NODE_OPTIONS ?? ''
  // Without Yarn's, no package is found.
  const [first, rest] = [YARN.exec(given)?.[0] ?? '', given.replace(YARN, '')]
  const options = given.includes(require) ? given : [first, require, rest].map((part) => part.trim()).filter(Boolean).join(' ')
  return { ...env, NODE_OPTIONS: options, EDGEWISE_OUT: out }
}

/**
 * Finds out before the application starts whether its trace can be written.
 *
 * @param {string | undefined} given --out
 * @returns {string} absolute path of an existing, writable directory without a trace; made for it, it goes when
 *   it is still empty as we end
 * @throws {Failure}
 */
function prepareOut (given) {
  let out = given ?? (process.env.EDGEWISE_OUT || `edgewise-${process.pid}`)
  try {
    out = path.resolve(out) // Throws where the working directory was removed.
    if (!fs.existsSync(out)) process.once('exit', () => removeEmpty(out))
    makeDirectory(out)
    fs.accessSync(out, fs.constants.W_OK | fs.constants.X_OK)
  } catch (error) {
    throw new Failure(`cannot write a trace to ${out}: ${/** @type {Error} */ (error).message}; choose another directory with --out`)
  }
  if (traceFiles(out).length > 0) {
    throw new Failure(`${out} already holds a trace, and a second one would be mixed with it: choose another directory with --out, or remove that one`)
  }
  return out
}

/** @param {string} directory */
function removeEmpty (directory) {
  try {
    fs.rmdirSync(directory)
  } catch {} // It holds something, or was never made.
}

/** @param {string} out @returns {string[]} absolute paths */
function traceFiles (out) {
  return fs.readdirSync(out).filter((name) => name.endsWith('.ewt')).map((name) => path.join(out, name))
}

/** @param {string} out @returns {{ files: number, bytes: number }} */
function traceSize (out) {
  const files = traceFiles(out)
  const bytes = files.reduce((sum, file) => sum + (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  return { files: files.length, bytes }
}

/** @param {string} out @returns {string} why there may be no trace in it, and what to do */
function noTrace (out) {
  const why = process.env.EDGEWISE_ENABLED === '0'
    ? 'EDGEWISE_ENABLED=0 starts with recording off'
    : addonProblem() ?? 'the command must run Node.js, and must not clear NODE_OPTIONS; `edgewise doctor` tells whether this Node can be recorded'
  return `no trace was written to ${out}: ${why}`
}

/** @returns {string | undefined} why this Node, which mostly is the command's too, cannot be recorded */
function addonProblem () {
  try {
    require('../index').probe()
    return undefined
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
}

/**
 * A load whose requests nobody records is not worth waiting for.
 *
 * @param {string} out of a server that listens
 * @throws {Failure} nothing in it has begun to record
 */
async function recordingBegun (out) {
  if (process.env.EDGEWISE_ENABLED === '0') return
  for (const deadline = performance.now() + BEGIN_MS; traceFiles(out).length === 0; await sleep(LOOK_MS)) {
    if (performance.now() > deadline) throw new Failure(noTrace(out))
  }
}

/** @param {number} bytes */
function megabytes (bytes) {
  return `${(bytes / 2 ** 20).toFixed(bytes < 100 * 2 ** 20 ? 1 : 0)} MiB`
}

module.exports = { megabytes, noTrace, prepareOut, recordedEnvironment, recordingBegun, traceFiles, traceSize }
