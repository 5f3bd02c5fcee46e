'use strict'

// Functions that do the work of the programs. The programs measure themselves
// how long each ran.

const crypto = require('node:crypto')
const { setImmediate: turn } = require('node:timers/promises')
const { clock, inMs, readClocks } = require('./clocks')

const STEPS = 4
const DEPTHS = { deep: 200, deeper: 5000 }

/**
 * @callback Since
 * @param {ReturnType<typeof readClocks>} began work ends now that began then
 */

/**
 * @callback Timed
 * @param {() => unknown} work runs now, and how long it takes is kept
 */

function spinning (/** @type {number} */ ms) {
  let sum = 0
  for (const end = inMs(ms); clock() < end;) for (let i = 0; i < 2000; i++) sum += Math.sqrt(i)
  return sum
}

// What ran between the requests of a program: told in its place it would be wrong.
function decoying (/** @type {number} */ ms) {
  let bits = 1
  for (const end = inMs(ms); clock() < end;) for (let i = 0; i < 2000; i++) bits ^= (bits << 13) ^ i
  return bits
}

// V8 puts `inner` into `outer` when both are hot: then the stack has no frame
// of its own for it.
function inner (/** @type {number} */ count) {
  let sum = 0
  for (let i = 0; i < count; i++) sum += Math.sqrt(i) * (i & 3)
  return sum
}

function outer () {
  let sum = 0
  for (let i = 0; i < 50; i++) sum += inner(400)
  return sum
}

function calling (/** @type {number} */ ms) {
  let sum = 0
  for (const end = inMs(ms); clock() < end;) sum += outer()
  return sum
}

// Inlined too, and without a loop.
function raised (/** @type {number} */ x) {
  return Math.cbrt(x) * Math.sqrt(x) + Math.cbrt(x + 1)
}

function summing (/** @type {number} */ ms) {
  let sum = 0
  for (const end = inMs(ms); clock() < end;) for (let i = 0; i < 2000; i++) sum += raised(i)
  return sum
}

const roundsPerMs = measuredRounds(20_000)

function measuredRounds (/** @type {number} */ rounds) {
  const began = clock()
  crypto.pbkdf2Sync('secret', 'salt', rounds, 32, 'sha1')
  return rounds / (Number(clock() - began) / 1e6)
}

function hashing (/** @type {number} */ ms) {
  return crypto.pbkdf2Sync('secret', 'salt', Math.ceil(ms * roundsPerMs), 32, 'sha1')
}

/* eslint-disable no-eval */
const evaluated = eval(`(function evaluated (ms) {
  let sum = 0
  for (const end = inMs(ms); clock() < end;) for (let i = 0; i < 2000; i++) sum += Math.sqrt(i)
  return sum
})
//# sourceURL=evaluated.js`)
/* eslint-enable no-eval */

/** Every second step is a later event of the loop. @param {number} ms @param {Timed} timed */
function promises (ms, timed) {
  /** @type {Promise<unknown>} */
  let chain = Promise.resolve()
  for (let i = 0; i < STEPS; i++) chain = (i % 2 === 0 ? chain : chain.then(() => turn())).then(() => timed(() => spinning(ms / STEPS)))
  return chain
}

/** @param {number} ms @param {Since} since */
async function * generated (ms, since) {
  for (let i = 0; i < STEPS; i++) {
    const began = readClocks()
    let sum = 0
    for (const end = inMs(ms / STEPS); clock() < end;) for (let j = 0; j < 2000; j++) sum += Math.sqrt(j)
    since(began)
    await turn()
    yield sum
  }
}

/** @param {number} ms @param {Timed} _timed @param {Since} since */
async function iterated (ms, _timed, since) {
  let sum = 0
  for await (const one of generated(ms, since)) sum += one
  return sum
}

/** @returns {number} */
function reaching (/** @type {number} */ depth, /** @type {number} */ ms) {
  return depth === 0 ? spinning(ms) : 1 + reaching(depth - 1, ms)
}

const direct = (/** @type {(ms: number) => unknown} */ work) => (/** @type {number} */ ms, /** @type {Timed} */ timed) => timed(() => work(ms))

/** Of a file that the benchmark has made (../truth/made-scripts.js), loaded before any request. */
const made = process.env.STACKS_SCRIPT ? require(process.env.STACKS_SCRIPT) : undefined

/**
 * By the program's name: some `ms` of its function's work, in one or several pieces.
 * @type {Record<string, (ms: number, timed: Timed, since: Since) => unknown>}
 */
const WORK = {
  plain: direct(spinning),
  worker: direct(spinning),
  tail: direct(spinning),
  decoy: direct(decoying),
  inlined: direct(calling),
  'inlined-small': direct(summing),
  native: direct(hashing),
  eval: direct(evaluated),
  deep: direct((ms) => reaching(DEPTHS.deep, ms)),
  deeper: direct((ms) => reaching(DEPTHS.deeper, ms)),
  promises,
  generator: iterated,
  made: (ms, timed) => timed(() => made.weighing(ms))
}

module.exports = { DEPTHS, WORK }
