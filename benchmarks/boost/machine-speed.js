'use strict'

// How fast the application's processor is just now. A virtual machine's shares
// its core with others for minutes at a time, and their memory as well, and is
// then slower by a third: at a fixed rate of requests that is another load, and
// another tail.

const { execFileSync } = require('node:child_process')
const { say } = require('../../scripts/tasks/step')
const { APP_CPU } = require('./place')

const SPIN_MS = 200
// A unit is of so many steps of arithmetic and, taking about as long, so many
// loads of which each waits for the one before, from more memory than caches hold.
const STEPS = 1000
const LOADS = 8
const WORDS = 2 ** 24
/** A speed below this part of the fastest that was seen is a slow machine's. */
const SLOW = 0.85
const ATTEMPTS = 2 // to find the machine as fast as it was: a slow phase outlasts more

/** @returns {number} units a millisecond */
function machineSpeed () {
  return Number(execFileSync('taskset', ['--cpu-list', APP_CPU, process.execPath, __filename], { encoding: 'utf8' }))
}

/**
 * @param {number | undefined} speed of one run, none: not known
 * @param {(number | undefined)[]} all of the runs that it is compared with
 */
function isSlow (speed, all) {
  return speed !== undefined && speed < SLOW * Math.max(...all.map((one) => one ?? 0))
}

/**
 * Measures again what found a slow machine.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} measure
 * @param {(result: T) => boolean} wasSlow
 * @param {(result: T) => string} [details]
 * @returns {Promise<{ result: T, slow: boolean }>} slow: in all attempts
 */
async function unslowed (what, measure, wasSlow, details = () => '') {
  for (let attempt = 1; ; attempt++) {
    const result = await measure()
    const slow = wasSlow(result)
    if (!slow || attempt === ATTEMPTS) return { result, slow }
    say(`${what}: the machine was slow${details(result)}, once more`)
  }
}

function spin () {
  const words = new Int32Array(WORDS).fill(1)
  const began = process.hrtime.bigint()
  let [units, state, elapsedMs] = [0, 1, 0]
  while (elapsedMs < SPIN_MS) {
    for (let i = 0; i < STEPS; i++) state = next(state)
    for (let i = 0; i < LOADS; i++) state = next(state) + words[state >>> 8]
    units++
    elapsedMs = Number(process.hrtime.bigint() - began) / 1e6
  }
  return units / elapsedMs
}

/** @param {number} state @returns {number} int32: of a linear congruential generator */
function next (state) {
  return Math.imul(state, 1664525) + 1013904223 | 0
}

if (require.main === module) process.stdout.write(String(spin()))

module.exports = { SLOW, isSlow, machineSpeed, unslowed }
