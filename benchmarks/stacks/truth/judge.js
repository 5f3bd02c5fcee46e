'use strict'

// A report's stacks against what the programs know.

const path = require('node:path')
const { fold } = require('../../../lib/flame/fold')

/** Of which the programs' functions are. */
const PROGRAM_SCRIPTS = ['functions.js', 'evaluated.js', 'large-script.js', 'bundle.js', 'weighing.ts']

/** @typedef {import('../served').Worked} Worked */
/** @typedef {import('../../../lib/flame/fold').Frame} Frame */

/**
 * @typedef {object} Judged of one run of a program
 * @property {number} samples of the whole recording
 * @property {number} rightShare of the time of its requests and the decoy's that was told in functions of programs, in the
 *   right one: 0 to 1; NaN: nothing was told
 * @property {number} aroundShare of the time that was told of its requests, in the server, Node and edgewise around them
 * @property {number} unknownShare of the time of its requests, what could not be told
 * @property {number} toldNs of its function
 * @property {number} trueNs
 * @property {string} [needs] why it cannot be judged by this edgewise
 */

/**
 * @param {Record<string, any>} report of all requests as the tail, with every stack
 * @param {import('../programs').Program} program
 * @param {Worked[]} worked
 * @returns {Judged}
 */
function judge (report, program, worked) {
  const own = `/${program.work ?? program.name}`
  const rows = toldOf(report)
  const ofRoute = (/** @type {string} */ route) => rows.filter(({ what }) => what.startsWith(`GET ${route} `))
  const [mine, decoys] = [ofRoute(own), ofRoute('/decoy')]
  const isRight = (/** @type {Told} */ { frames }) => isTold(frames, program)
  const ofPrograms = [...mine, ...decoys].filter(isOfProgram)
  const right = [...mine.filter(isRight), ...decoys.filter(isDecoy)]
  return {
    samples: report.stacks?.samples ?? 0,
    rightShare: sum(right) / sum(ofPrograms),
    aroundShare: 1 - sum(mine.filter((row) => row.frames === null || isOfProgram(row))) / sum(mine),
    unknownShare: sum(mine.filter(({ frames }) => frames === null)) / sum(mine),
    toldNs: sum(mine.filter(isRight)),
    trueNs: worked.filter(({ route }) => route === own).reduce((all, { ns }) => all + ns, 0),
    ...program.made === 'typescript' && !('unmapped' in (report.stacks ?? {})) && { needs: 'source maps' }
  }
}

/** @typedef {{ what: string, frames: Frame[] | null, ns: number }} Told frames: without Node's own, the outermost first; null: what ran is not known */

/** @returns {Told[]} what ran in the requests of the tail, of all of them together */
function toldOf (/** @type {Record<string, any>} */ report) {
  const requests = Math.max(1, report.tail?.count ?? 0)
  return fold(report, 'own').map(({ frames: [cause, ...frames], ns }) => ({
    what: cause.name,
    frames: frames.some(({ kind }) => kind === 'none') ? null : frames.filter(({ kind }) => kind !== 'node'),
    ns: ns * requests
  }))
}

/** A native function is its caller's. @param {Told} told */
function isOfProgram ({ frames }) {
  return PROGRAM_SCRIPTS.includes(path.basename(frames?.findLast(({ kind }) => kind !== 'native')?.script ?? ''))
}

/** @param {Told} told */
function isDecoy ({ frames }) {
  return frames?.findLast(({ kind }) => kind !== 'native')?.name === 'decoying'
}

/** @param {Frame[] | null} frames @param {import('../programs').Program} program */
function isTold (frames, { told, within, made }) {
  const called = told === undefined ? frames : frames?.slice(0, frames.findLastIndex(({ kind }) => kind !== 'native') + 1)
  const [caller, leaf] = [called?.at(-2), called?.at(-1)]
  if (told === undefined ? leaf?.kind !== 'native' : leaf?.name !== told) return false
  if (within !== undefined && caller?.name !== within) return false
  return made !== 'typescript' || path.basename(leaf?.script ?? '') === 'weighing.ts'
}

/**
 * How well two functions are told apart by who was slow: `spinning` ran in the
 * slow requests only, `decoying` in the others.
 * @param {Record<string, any>} report with every stack
 * @param {Worked[]} worked
 * @returns {{ tailRight: number, restRight: number, slow: number, tail: number }} right: shares, 0 to 1, of the two functions' time
 *   that the right one of them has, of the requests that the report takes for the tail and of the rest; slow: requests
 *   that were, tail: those that the report takes
 */
function judgeTail (report, worked) {
  const tail = report.tail?.count ?? 0
  const slowest = [...worked].sort((a, b) => b.ns - a.ns)
  const trueShare = (/** @type {Worked[]} */ requests) => sum(requests.filter(({ route }) => route === '/tail')) / sum(requests)
  const right = (/** @type {'own' | 'rest'} */ of, /** @type {Worked[]} */ requests) => 1 - Math.abs(spinningShare(fold(report, of)) - trueShare(requests))
  return {
    tailRight: right('own', slowest.slice(0, tail)),
    restRight: right('rest', slowest.slice(tail)),
    slow: worked.filter(({ route }) => route === '/tail').length,
    tail
  }
}

/** @param {import('../../../lib/flame/fold').Folded[]} folded @returns {number} of the two functions' time, 0 to 1; NaN: nothing was told */
function spinningShare (folded) {
  const of = (/** @type {string} */ name) => sum(folded.filter(({ frames }) => frames.some((frame) => frame.name === name)))
  return of('spinning') / (of('spinning') + of('decoying'))
}

/**
 * @param {string} collapsed of `edgewise flame --diff`: lines of a path, the others' number and the tail's
 * @returns {{ more: string[], less: string[] }} the functions that did the work, by whether the tail had more of them
 */
function directions (collapsed) {
  /** @type {Record<string, number>} */
  const change = {}
  for (const line of collapsed.split('\n').filter(Boolean)) {
    const [, stack, rest, tail] = /^(.*) (\d+) (\d+)$/.exec(line) ?? []
    const name = stack?.split(';').at(-1)?.split(' ')[0] ?? ''
    change[name] = (change[name] ?? 0) + Number(tail) - Number(rest)
  }
  const names = Object.keys(change)
  return { more: names.filter((name) => change[name] > 0), less: names.filter((name) => change[name] < 0) }
}

function sum (/** @type {{ ns: number }[]} */ rows) {
  return rows.reduce((all, { ns }) => all + ns, 0)
}

module.exports = { directions, judge, judgeTail }
