'use strict'

// Programs whose truth is known: what each of them does, and by which function
// its time is to be told.

const { DEPTHS } = require('./functions')

/**
 * @typedef {object} Program
 * @property {string} name its route, and its work in functions.js, unless `work` says another
 * @property {string} text
 * @property {string} [told] the function that did the work; none: native code did
 * @property {string} [within] the function that must have called it
 * @property {string} [work]
 * @property {'large-script' | 'typescript'} [made] the script that it needs (../truth/made-scripts.js)
 * @property {boolean} [worker] served by a worker thread
 * @property {boolean} [unreachable] known to be told by its caller: no criterion
 */

/** @type {Program[]} */
const PROGRAMS = [
  { name: 'plain', text: 'a function', told: 'spinning' },
  { name: 'inlined', text: 'a function with a loop, inlined', told: 'inner', within: 'outer' },
  { name: 'inlined-small', text: 'a function without a loop, inlined', told: 'raised', within: 'summing', unreachable: true },
  { name: 'native', text: '`crypto.pbkdf2Sync`', within: 'hashing' },
  { name: 'eval', text: '`eval`', told: 'evaluated' },
  { name: 'worker', text: 'a worker thread', told: 'spinning', worker: true },
  { name: 'promises', text: 'a chain of promises', told: 'spinning' },
  { name: 'generator', text: 'an async generator', told: 'generated' },
  { name: 'large-script', text: 'a script of 9 MB', told: 'weighing', work: 'made', made: 'large-script' },
  { name: 'deep', text: `recursion, ${DEPTHS.deep} deep`, told: 'spinning', within: 'reaching' },
  { name: 'deeper', text: `recursion, ${DEPTHS.deeper.toLocaleString('en-US')} deep`, told: 'spinning', within: 'reaching' },
  { name: 'typescript', text: 'bundled TypeScript', told: 'weighing', work: 'made', made: 'typescript' }
]

module.exports = { PROGRAMS }
