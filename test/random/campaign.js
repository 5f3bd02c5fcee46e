'use strict'

// Many programs, in blocks of one server each. A block's seed is the first seed
// plus its number, so that each block is a run of its own.

const { runBlock } = require('./block')
const { judge } = require('./judge')
const { generate } = require('./plan')
const { whyKnown } = require('./known')

const BLOCK = 200

/** @typedef {import('./judge').Misfit & { seed: number, count: number, plan: any, known: string | undefined, seen: number }} Failure */

/**
 * @param {{ seed: number, programs: number, node?: string, causality?: string, machine?: 'idle' | 'busy', again?: number }} settings again: how often a block with failures that are not known runs again
 * @param {(done: number) => void} [told]
 * @returns {Promise<{ judged: number, unseen: number[], failures: Failure[] }>}
 */
async function campaign (settings, told = () => {}) {
  const result = { judged: 0, unseen: /** @type {number[]} */ ([]), failures: /** @type {Failure[]} */ ([]) }
  for (let before = 0, seed = settings.seed; before < settings.programs; before += BLOCK, seed++) {
    const count = Math.min(BLOCK, settings.programs - before)
    const block = await judgeBlock(seed, count, settings, (done) => told(before + done))
    result.judged += block.judged
    result.unseen.push(block.unseen)
    result.failures.push(...block.failures)
  }
  return result
}

async function judgeBlock (seed, count, { again = 0, ...settings }, told) {
  const programs = generate(seed, count)
  const first = await judgePrograms(programs, settings, told)
  const failures = first.misfits.map((misfit) => ({ ...misfit, seed, count, plan: programs[misfit.program], known: whyKnown(misfit.kind), seen: 1 }))
  for (let i = 0; i < again && failures.some(isSuspect); i++) {
    const { misfits } = await judgePrograms(programs, settings)
    for (const failure of failures) if (misfits.some((misfit) => misfit.program === failure.program && !whyKnown(misfit.kind))) failure.seen++
  }
  return { judged: first.judged, unseen: first.unseen, failures }
}

/** @param {Failure} failure @returns {boolean} */
function isSuspect (failure) {
  return !failure.known
}

/**
 * @param {import('./plan').Program[]} programs
 * @param {{ node?: string, causality?: string, machine?: 'idle' | 'busy' }} settings
 * @param {(done: number) => void} [told]
 */
function judgePrograms (programs, { node, causality, machine = 'busy' }, told = () => {}) {
  let done = 0
  return runBlock(programs, { node, causality, told: () => told(++done) }, (facts) => judge(programs, facts, machine))
}

module.exports = { BLOCK, campaign, judgePrograms }
