'use strict'

const fs = require('node:fs')
const { Option } = require('commander')
const { version } = require('../../package.json')
const { EXIT, Failure, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { name } = require('./arguments')
const { analyse, selecting } = require('./report')

const FORMATS = /** @type {const} */ (['svg', 'speedscope', 'collapsed', 'cpuprofile'])
const OF = /** @type {const} */ (['tail', 'rest', 'blockers', 'own'])

/** @param {import('commander').Command} program */
function add (program) {
  selecting(program.command('flame'))
    .summary('draw which functions the tail ran and waited behind')
    .description('Draws which JavaScript functions ran while the slow requests of a trace waited\nfor the event loop, and while they ran themselves (EDGEWISE_STACKS).')
    .argument('<DIR>', 'a directory with a trace', name)
    .addOption(new Option('--of <WHAT>', 'blockers: only what the tail waited behind; own: only its own execution').choices(OF).default('tail'))
    .option('--diff', 'what is more than in the other requests, and what less')
    .addOption(new Option('--format <FORMAT>', 'of the file').choices(FORMATS).default('svg'))
    .option('--out <FILE>', 'write there (default: the standard output, if that is no terminal)', name)
    .addHelpText('after', `
Times are those of a request, on average, and estimates: samples of what ran.

Examples:
  edgewise flame edgewise-4711 --out tail.svg
  edgewise flame edgewise-4711 --diff --out diff.svg
  edgewise flame edgewise-4711 --of blockers --format speedscope --out tail.speedscope.json`)
    .action(async (directory, options) => {
      process.exitCode = await draw(directory, options)
    })
}

/**
 * @param {string} directory
 * @param {any} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function draw (directory, { of, diff = false, format, out, ...options }) {
  if (diff && !['svg', 'collapsed'].includes(format)) throw new Failure(`--diff --format ${format}: two numbers a function have svg and collapsed only`, EXIT.usage)
  if (!out && process.stdout.isTTY) throw new Failure('--out FILE: where does it go? (or redirect the output)', EXIT.usage)
  const interrupt = interruption()
  const report = await analyse(directory, { ...options, stacks: true, slowest: 0 }, interrupt.signal)
  interrupt.release()
  if (!report) return exitCodeAfter(interrupt.signal)
  if (!report.stacks) throw new Failure(`${directory} has no stacks: record with EDGEWISE_STACKS=100`)
  const text = render(report, { of, diff, format })
  if (!out) process.stdout.write(text)
  else {
    try {
      fs.writeFileSync(out, text, { mode: 0o600 })
    } catch (error) {
      throw new Failure(`cannot write ${out}: ${/** @type {Error} */ (error).message}`)
    }
    note(`written to ${out}`)
  }
  return EXIT.ok
}

/**
 * @param {Record<string, any>} report
 * @param {{ of: typeof OF[number], diff: boolean, format: typeof FORMATS[number] }} options
 * @returns {string}
 */
function render (report, { of, diff, format }) {
  const { fold } = require('../flame/fold')
  const folded = fold(report, of)
  const title = titleOf(report, of, diff)
  if (format === 'svg') return require('../flame/svg').svg(folded, { title, diff })
  if (format === 'collapsed') return require('../flame/collapsed').collapsed(folded, { diff })
  if (format === 'cpuprofile') return require('../flame/cpuprofile').cpuprofile(folded)
  return require('../flame/speedscope').speedscope(folded, { name: title, version })
}

/** @param {Record<string, any>} report @param {typeof OF[number]} of @param {boolean} diff */
function titleOf ({ tail }, of, diff) {
  const slow = `p${tail?.percentile ?? 99} requests`
  const what = { tail: `What ${slow} ran and waited behind`, rest: 'What the other requests ran and waited behind', blockers: `What ${slow} waited behind`, own: `What ${slow} ran` }[of]
  return diff ? `${what}, against the ${of === 'rest' ? 'tail' : 'others'}` : `${what}, of a request on average`
}

module.exports = { add }
