'use strict'

// Where the control sockets lie: a 0700 directory per user, usually in a /tmp
// that other users share. Both sides check it before they trust what is in it.

const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')

// As it is now: later recording asks it who connects (instrument/following.js), and this is no request's.
const { connect } = net.Socket.prototype

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {number} uid
 * @returns {string[]} where the sockets of a user's processes may lie, best first
 */
function directoriesOf (env, uid) {
  const bases = [env.XDG_RUNTIME_DIR, env.TMPDIR, env.TMP, env.TEMP, '/tmp']
  const usable = bases.flatMap((base) => base && path.isAbsolute(base) ? [path.join(base, `edgewise-${uid}`)] : [])
  return Array.from(new Set(usable))
}

/**
 * @param {string[]} directories
 * @param {number} uid
 * @returns {string} the first whose parent exists and lets us in
 */
function prepareDirectory (directories, uid) {
  let failure
  for (const directory of directories) {
    try {
      fs.mkdirSync(directory, { mode: 0o700 })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        failure ??= error
        continue
      }
    }
    checkDirectory(directory, uid)
    return directory
  }
  throw failure
}

/**
 * Somebody else may have put a directory or a link of this name into /tmp first.
 *
 * @param {string} directory
 * @param {number} uid
 */
function checkDirectory (directory, uid) {
  const stat = fs.lstatSync(directory)
  const mode = stat.mode & 0o777
  const problem = stat.isSymbolicLink()
    ? 'is a symbolic link'
    : !stat.isDirectory()
        ? 'is not a directory'
        : stat.uid !== uid
          ? `belongs to user ${stat.uid}, not ${uid}`
          : mode & 0o077
            ? `has mode 0${mode.toString(8)}, not 0700`
            : null
  if (problem) throw Object.assign(new Error(`${directory} ${problem}; it is not used. Remove it or set XDG_RUNTIME_DIR`), { code: 'UNTRUSTED' })
}

/**
 * Removes the one an earlier process with our id left, at once, and soon the
 * sockets of processes that were killed.
 *
 * @param {string} directory
 */
function removeStale (directory) {
  for (const name of fs.readdirSync(directory)) {
    const match = /^(\d+)\.sock$/.exec(name)
    if (!match) continue
    const pid = Number(match[1])
    const file = path.join(directory, name)
    if (pid === process.pid) remove(file)
    else if (!isAlive(pid)) removeUnheard(file)
  }
}

// A container may share the directory with others, whose processes have numbers
// that say nothing here.
function removeUnheard (/** @type {string} */ file) {
  const caller = new net.Socket()
  Reflect.apply(connect, caller, [{ path: file }, () => caller.destroy()])
  caller.unref()
  caller.on('error', (error) => { if (codeOf(error) === 'ECONNREFUSED') remove(file) })
}

function remove (/** @type {string} */ file) {
  try {
    fs.unlinkSync(file)
  } catch {}
}

/** @param {number} pid */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

function userId () {
  return process.geteuid?.() ?? -1
}

/** @param {unknown} error @returns {string | undefined} */
function codeOf (error) {
  return /** @type {NodeJS.ErrnoException} */ (error)?.code
}

module.exports = { checkDirectory, codeOf, directoriesOf, prepareDirectory, removeStale, userId }
