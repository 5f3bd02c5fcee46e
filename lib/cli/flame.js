'use strict'

const fs = require('node:fs')
const { InvalidArgumentError, Option } = require('commander')
const { version } = require('../../package.json')
const { time } = require('../report/units')
const { EXIT, Failure, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { count, name } = require('./arguments')
const { analyse, sayProgress, selecting } = require('./report')

/**
 * Loaded only where it is drawn: other commands begin sooner.
 * @type {Record<string, (folded: import('../flame/fold').Folded[], options: { title: string, of: import('../flame/fold').Of, diff: boolean, version: string }) => string | Buffer>}
 */
const FORMATS = {
  svg: (...drawn) => require('../flame/svg').svg(...drawn),
  speedscope: (...drawn) => require('../flame/speedscope').speedscope(...drawn),
  collapsed: (...drawn) => require('../flame/collapsed').collapsed(...drawn),
  cpuprofile: (folded) => require('../flame/cpuprofile').cpuprofile(folded),
  pprof: (...drawn) => require('../flame/pprof').pprof(...drawn)
}
const OF_TWO_NUMBERS = ['svg', 'collapsed', 'pprof']
const OF = ['tail', 'rest', 'blockers', 'own']

/** @param {import('commander').Command} program */
function add (program) {
  selecting(program.command('flame'))
    .summary('draw which functions the tail ran and waited behind')
    .description('Draws which JavaScript functions ran while the slow requests of a trace waited\nfor the event loop, and while they ran themselves (EDGEWISE_STACKS).')
    .argument('<DIR>', 'a directory with a trace', name)
    .option('--of <WHAT>', 'tail; rest: the other requests; blockers: only what the tail waited behind; own: only its own execution; or a request\'s ID', whose, 'tail')
    .option('--diff', 'what is more than in the other requests, and what less')
    .addOption(new Option('--format <FORMAT>', 'of the file').choices(Object.keys(FORMATS)).default('svg'))
    .option('--out <FILE>', 'write there (default: the standard output, if that is no terminal)', name)
    .addHelpText('after', `
Times are those of a request, on average, and estimates: samples of what ran.

Examples:
  edgewise flame edgewise-4711 --out tail.svg
  edgewise flame edgewise-4711 --diff --out diff.svg
  edgewise flame edgewise-4711 --of 1234 --out request.svg
  edgewise flame edgewise-4711 --of blockers --format speedscope --out tail.speedscope.json
  edgewise flame edgewise-4711 --format pprof --out tail.pb.gz`)
    .action(async (directory, options) => {
      process.exitCode = await draw(directory, options)
    })
}

/** @param {string} text @returns {import('../flame/fold').Of} */
function whose (text) {
  if (/^\d/.test(text)) return count(text)
  if (!OF.includes(text)) throw new InvalidArgumentError(`Allowed are ${OF.join(', ')}, or the number of a request.`)
  return /** @type {import('../flame/fold').Of} */ (text)
}

/**
 * @param {string} directory
 * @param {any} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function draw (directory, { of, diff = false, format, out, ...options }) {
  if (diff && !OF_TWO_NUMBERS.includes(format)) throw new Failure(`--diff --format ${format}: two numbers a function have ${OF_TWO_NUMBERS.join(', ')} only`, EXIT.usage)
  if (!out && process.stdout.isTTY) throw new Failure('--out FILE: where does it go? (or redirect the output)', EXIT.usage)
  const interrupt = interruption()
  const request = typeof of === 'number' ? { request: of } : {}
  const report = await analyse(directory, { ...options, ...request, stacks: true, slowest: 0 }, interrupt.signal, sayProgress())
  interrupt.release()
  if (!report) return exitCodeAfter(interrupt.signal)
  for (const warning of report.warnings) note(warning)
  const folded = foldedOf(report, { directory, of, diff })
  const drawn = FORMATS[format](folded, { title: titleOf(report, of, diff), of, diff, version })
  if (!out) process.stdout.write(drawn)
  else {
    try {
      fs.writeFileSync(out, drawn, { mode: 0o600 })
    } catch (error) {
      throw new Failure(`cannot write ${out}: ${/** @type {Error} */ (error).message}`)
    }
    note(`written to ${out}`)
  }
  return EXIT.ok
}

/**
 * @param {Record<string, any>} report
 * @param {{ directory: string, of: import('../flame/fold').Of, diff: boolean }} options
 * @returns {import('../flame/fold').Folded[]}
 * @throws {Failure} where there is nothing to draw
 */
function foldedOf (report, { directory, of, diff }) {
  if (!report.stacks) throw new Failure(`${directory} has no stacks: record with EDGEWISE_STACKS=100`)
  if ((diff || of === 'rest') && report.rest.count === 0) {
    throw new Failure(`${of === 'rest' ? '--of rest' : '--diff'}: no requests are left beside the tail, which is all ${report.tail.count}: choose a higher --percentile, or record more requests`)
  }
  const folded = require('../flame/fold').fold(report, of).filter(({ ns }) => diff || ns > 0)
  if (folded.length > 0) return folded
  const { request, stacks } = report
  const which = request ? `request ${of}, in the ${time(request.queue_ns + request.exec_ns)} that it was ready or ran` : `--of ${of}`
  throw new Failure(`${which}: none of the ${stacks.samples} samples is of it: ${request ? '' : 'choose another --percentile, or '}record with more a second, as EDGEWISE_STACKS=1000`)
}

/** @param {Record<string, any>} report @param {import('../flame/fold').Of} of @param {boolean} diff */
function titleOf ({ tail, request }, of, diff) {
  const slow = `p${tail.percentile} requests`
  /** @type {Record<string, string>} */
  const titles = {
    tail: `What ${slow} ran and waited behind`,
    rest: 'What the other requests ran and waited behind',
    blockers: `What ${slow} waited behind`,
    own: `What ${slow} ran`
  }
  const what = titles[of] ?? `What request ${of} (${request.route}, ${time(request.latency_ns)}) ran and waited behind`
  if (diff) return `${what}, against the ${of === 'rest' ? 'tail' : 'others'}`
  return request ? what : `${what}, of a request on average`
}

module.exports = { add }
