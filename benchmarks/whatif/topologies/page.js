'use strict'

// The section on topologies of docs/whatif-accuracy.md.

const fs = require('node:fs')
const { rootMeanSquare } = require('../judge')

const HEADING = '## Throughput of several services'
const DRAWS = 2000

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`
const signed = (/** @type {number} */ share) => `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)}`

/** @param {any} result @returns {{ pauses: number[], arithmetic: number[], again: number[], came: number[] }} by cut: predicted / came - 1; again: how far it is from itself */
function errorsOf ({ first, last, cuts, arithmetic }) {
  const base = (first + last) / 2
  return {
    pauses: cuts.map(({ came, slowed }) => slowed.predicted / came - 1),
    arithmetic: cuts.map(({ came }, i) => base * arithmetic.after[i] / arithmetic.before / came - 1),
    again: [last / first - 1],
    came: cuts.map(({ came }) => came / base - 1)
  }
}

/**
 * @param {number[][]} groups errors of each deployment
 * @returns {string} their root mean square, with a 95 % interval from drawing deployments again; of fewer than three it says nothing
 */
function rms (groups) {
  if (groups.length < 3) return percent(rootMeanSquare(groups.flat()))
  let state = 1
  const draw = () => (state = Math.imul(state, 1103515245) + 12345 & 0x7fffffff) / 0x80000000
  const drawn = Array.from({ length: DRAWS }, () => rootMeanSquare(groups.flatMap(() => groups[Math.floor(draw() * groups.length)]))).sort((a, b) => a - b)
  return `${percent(rootMeanSquare(groups.flat()))} [${percent(drawn[Math.floor(0.025 * DRAWS)])}, ${percent(drawn[Math.floor(0.975 * DRAWS)])}]`
}

/** @param {any[]} results @param {{ machine: string, seconds: string }} how */
function section (results, { machine, seconds }) {
  const errors = results.map((result) => ({ ...result, ...errorsOf(result) }))
  const row = (/** @type {string} */ name, /** @type {any[]} */ some) => {
    if (some.length === 0) return []
    const of = (/** @type {string} */ key) => some.map((each) => each[key])
    const effects = of('came').flat()
    return [`| ${name} | ${3 * some.length} | ${signed(Math.min(...effects))} to ${signed(Math.max(...effects))} % | ${rms(of('again'))} | ${rms(of('arithmetic'))} | ${rms(of('pauses'))} |`]
  }
  const by = (/** @type {string} */ key) => [...new Set(errors.map((each) => each[key]))].flatMap((value) => row(value, errors.filter((each) => each[key] === value)))
  return [
    HEADING,
    '',
    '`npm run bench:topologies`: the nine topologies of the Slowpoke paper as services of Node.js, each with three targets, their calls one after the other',
    `and together. The target's work is cut by 20, 50 and 80 %. ${machine}; runs of ${seconds} s.`,
    'Root mean square of predicted / came - 1, with 95 % intervals. "Again": how far the unchanged services are from themselves. Arithmetic tells from',
    'recordings; what came, came without recording.',
    '',
    '| | Cuts | Came, against before | Again | Arithmetic | Pauses |',
    '|---|---:|---:|---:|---:|---:|',
    ...row('**all**', errors),
    ...by('topology'), ...by('mode'), ...by('placement'),
    '',
    '<details><summary>Each: predicted / came - 1, %, at cuts of 20, 50 and 80 %</summary>',
    '',
    '| Topology | Calls | Target | As it is, requests/s | Came | Arithmetic | Pauses |',
    '|---|---|---|---:|---|---|---|',
    ...errors.map(({ topology, mode, placement, first, came, arithmetic, pauses }) => `| ${topology} | ${mode} | ${placement} | ${first.toFixed(0)} | ${came.map(signed).join(', ')} | ${arithmetic.map(signed).join(', ')} | ${pauses.map(signed).join(', ')} |`),
    '',
    '</details>'
  ].join('\n')
}

/** Writes it in the place of the one before, or behind all else. @param {string} file @param {string} text */
function write (file, text) {
  const before = fs.readFileSync(file, 'utf8')
  const begin = before.indexOf(HEADING)
  const next = begin < 0 ? -1 : before.indexOf('\n## ', begin)
  const rest = next < 0 ? '' : before.slice(next)
  fs.writeFileSync(file, `${(begin < 0 ? before : before.slice(0, begin)).trimEnd()}\n\n${text}\n${rest}`)
}

module.exports = { errorsOf, section, signed, write }
