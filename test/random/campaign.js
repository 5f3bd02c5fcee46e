'use strict'

// Many programs, in blocks of one server each. A block's seed is the first seed
// plus its number, so that each block is a run of its own.

const { runBlock } = require('./block')
const { judge } = require('./judge')
const { generate } = require('./plan')
const { knownAs } = require('./known')

const BLOCK = 200
const CLOSE_NS = 20e6

/**
 * @typedef {import('./judge').Misfit & { seed: number | null, count: number, plan: any, known: string | undefined, seen: number }} Failure
 * seen: in how many runs of the same programs
 * @typedef {{ judged: number, labelled: number, close: number, unseen: number[], failures: Failure[] }} Result close: of how many the I/O was judged within CLOSE_NS;
 * unseen: Node's own work, ns a step, of each block
 * @typedef {{ node?: string, causality?: string, machine?: 'idle' | 'busy', again?: number }} Settings again: how often programs of which something unknown is wrong run again
 */

/**
 * @param {Settings & { seed: number, programs: number }} settings
 * @param {(done: number) => void} [told]
 * @returns {Promise<Result>}
 */
async function campaign (settings, told = () => {}) {
  /** @type {Result} */
  const result = { judged: 0, labelled: 0, close: 0, unseen: [], failures: [] }
  for (let before = 0, seed = settings.seed; before < settings.programs; before += BLOCK, seed++) {
    const programs = generate(seed, Math.min(BLOCK, settings.programs - before))
    const block = await judgePlan(programs, { ...settings, seed }, (done) => told(before + done))
    result.judged += block.judged
    result.labelled += block.labelled
    result.close += block.close
    result.unseen.push(...block.unseen)
    result.failures.push(...block.failures)
  }
  return result
}

/**
 * @param {import('./plan').Program[]} programs
 * @param {Settings & { seed?: number | null }} settings
 * @param {(done: number) => void} [told]
 * @returns {Promise<Result>}
 */
async function judgePlan (programs, { again = 0, seed = null, ...settings }, told) {
  const first = await judgePrograms(programs, settings, told)
  const planOf = (id) => programs.find((program) => program.id === id)
  const failures = first.misfits.map((misfit) => ({ ...misfit, seed, count: programs.length, plan: planOf(misfit.program), known: knownAs(misfit.kind), seen: 1 }))
  for (let i = 0; i < again && failures.some(({ label, known }) => !label && !known); i++) {
    const { misfits } = await judgePrograms(programs, settings)
    for (const failure of failures) {
      if (misfits.some(({ program, kind }) => program === failure.program && knownAs(kind) === failure.known)) failure.seen++
    }
  }
  const close = [...first.widths.values()].filter((width) => width < CLOSE_NS).length
  return { judged: first.judged, labelled: first.labelled, close, unseen: [first.unseen], failures }
}

/**
 * @param {import('./plan').Program[]} programs
 * @param {Settings} settings
 * @param {(done: number) => void} [told]
 */
function judgePrograms (programs, { node, causality, machine = 'busy' }, told = () => {}) {
  let done = 0
  return runBlock(programs, { node, causality, told: () => told(++done) }, (facts) => judge(programs, facts, machine))
}

/**
 * Those of which the report does not say itself that it is not sure, that are not known, and were wrong again: what else the machine does is not.
 * @param {Failure[]} failures
 * @param {number} again
 */
function standing (failures, again) {
  return failures.filter(({ label, known, seen }) => !label && !known && seen > Math.min(1, again))
}

module.exports = { BLOCK, campaign, judgePlan, judgePrograms, standing }
