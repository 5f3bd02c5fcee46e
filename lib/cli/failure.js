'use strict'

const { printable } = require('../report/layout')

const EXIT = { ok: 0, failure: 1, usage: 2 }
/** How often long work says how far it is. */
const PROGRESS_MS = 5000

/**
 * Something that went wrong and that its message explains completely: it is
 * shown as one line, without a stack.
 */
class Failure extends Error {
  /**
   * @param {string} message what, where, and what to do
   * @param {number} [exitCode]
   */
  constructor (message, exitCode = EXIT.failure) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
  }
}

/** @param {string} text one line of progress or warning, perhaps with names from a trace; results go to stdout */
function note (text) {
  process.stderr.write(`edgewise: ${printable(text)}\n`)
}

module.exports = { EXIT, Failure, PROGRESS_MS, note }
