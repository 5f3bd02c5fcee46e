'use strict'

// Makes a failure small: fewer programs beside it, then fewer steps in it. Each
// try is a run, and what the machine does beside it matters; a try counts when the
// same program goes wrong in what is the same way, or as little known.

const { judgePrograms } = require('./campaign')
const { knownAs } = require('./known')
const { generate } = require('./plan')

const MOST_RUNS = 40
const ATTEMPTS = 2

/** @typedef {import('./plan').Program} Program */

/**
 * @param {import('./campaign').Failure} failure
 * @param {{ node?: string, causality?: string, machine?: 'idle' | 'busy' }} settings
 * @param {(text: string) => void} told
 * @returns {Promise<Program[] | null>} null: it does not fail again
 */
async function shrink ({ seed, count, program, known }, settings, told) {
  let runs = 0
  const fails = async (programs) => {
    for (let i = 0; i < ATTEMPTS && runs < MOST_RUNS; i++) {
      runs++
      const { misfits } = await judgePrograms(programs, settings).catch(() => ({ misfits: [] }))
      if (misfits.some((misfit) => misfit.program === program && knownAs(misfit.kind) === known)) return true
    }
    return false
  }
  const tell = (programs) => told(`${runs} runs: ${programs.length} programs, ${programs.find(({ id }) => id === program)?.steps.length} steps`)
  let programs = generate(seed, count)
  // Those around it first: what ended long before matters to nothing.
  for (const reach of [5, 15, 50]) {
    const near = withNeeded(programs, programs.filter(({ id }) => Math.abs(id - program) <= reach))
    if (near.length < programs.length && await fails(near)) {
      programs = near
      break
    }
  }
  if (programs.length === count && !await fails(programs)) return null
  tell(programs)
  programs = await reduce(programs, (each) => each.id === program, (kept) => fails(withNeeded(programs, kept)), tell)
  for (let smaller = programs; smaller;) {
    programs = smaller
    smaller = await firstThat(smallerPrograms(programs, program), fails)
    if (smaller) tell(smaller)
  }
  return programs
}

async function firstThat (all, fails) {
  for (const each of all) if (await fails(each)) return each
  return null
}

/** With whatever the chosen are pipelined behind. @returns {Program[]} */
function withNeeded (all, chosen) {
  const ids = new Set(chosen.flatMap(({ id, behind }) => behind === undefined ? [id] : [id, behind]))
  return all.filter(({ id }) => ids.has(id))
}

/** Leaves out halves, then quarters, and so on. */
async function reduce (programs, isNeeded, fails, tell) {
  for (let size = Math.ceil(programs.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < programs.length;) {
      const without = programs.filter((each, i) => i < from || i >= from + size || isNeeded(each))
      if (without.length < programs.length && await fails(without)) {
        programs = withNeeded(programs, without)
        tell(programs)
      } else from += size
    }
  }
  return programs
}

/** @returns {Generator<Program[]>} one step less each, or what a step holds in its place */
function * smallerPrograms (programs, id) {
  const failing = programs.find((each) => each.id === id)
  const put = (change) => programs.map((each) => each === failing ? { ...failing, ...change } : each)
  for (const steps of smallerSteps(failing.steps)) if (steps.length > 0) yield put({ steps })
  if (failing.body) yield put({ body: undefined })
}

/** @returns {Generator<import('./plan').Step[]>} */
function * smallerSteps (steps) {
  for (const [i, step] of steps.entries()) {
    const around = (inner) => [...steps.slice(0, i), ...inner, ...steps.slice(i + 1)]
    yield around([])
    if (step.steps) yield around(step.steps)
    for (const branch of step.branches ?? []) yield around(branch)
  }
}

module.exports = { shrink, smallerSteps, withNeeded }
