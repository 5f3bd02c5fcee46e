'use strict'

const { InvalidArgumentError } = require('commander')
const { spansUrl } = require('../export/otlp-endpoint')
const { EXIT, Failure, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { count, name, percentile, warmUp } = require('./arguments')
const { analyse, sayProgress } = require('./report')
const { exportSpans, toEndpoint, toFile } = require('./spans')
const { exportTables } = require('./tables')
const { writeWhole } = require('./whole-file')

/** Beside the tail; and all together. */
const SAMPLE = 0.01
const MOST = 10_000

/** @param {import('commander').Command} program */
function add (program) {
  const command = program.command('export')
    .summary('hand a trace to other tools')
    .description('Writes what a trace holds in a format of other tools.')
    .addHelpText('after', `
Examples:
  edgewise export parquet edgewise-4711 --out tables
  edgewise export otlp edgewise-4711 --endpoint http://localhost:4318
  edgewise export perfetto edgewise-4711 --out edgewise.pftrace`)
  command.command('parquet')
    .summary('as tables, for DuckDB, ClickHouse, Spark')
    .description(`Writes tables of all requests, their steps, what they waited for, the events of the
loop, collections and more, as Parquet files (docs/tables.md). They lie below
app=APP/host=HOST/date=DATE, so that those of many machines can be put together.`)
    .argument('<DIR...>', 'directories with a trace each')
    .requiredOption('--out <DIR2>', 'the directory that they are written below', name)
    .option('--app <APP>', 'the application (default: the program that was recorded)', name)
    .option('--host <HOST>', 'the machine (default: as it was recorded)', name)
    .option('--percentile <P>', 'the tail are the requests at or above it, of 100 (default: 99)', percentile)
    .addHelpText('after', `
Examples:
  edgewise export parquet edgewise-4711 --out tables
  edgewise export parquet web-1 web-2 --out tables --app shop
  edgewise query tables routes`)
    .action(async (directories, options) => {
      process.exitCode = await toParquet(directories, options)
    })
  addOtlp(command)
  addPerfetto(command)
}

/** @param {import('commander').Command} command */
function addOtlp (command) {
  command.command('otlp')
    .summary('as spans of OpenTelemetry')
    .description(`Writes the slow requests, and a sample of the others, as spans of OpenTelemetry: a
server span each, children for the steps of its critical path, and links to the
requests that it waited behind (docs/hand-over.md).`)
    .argument('<DIR...>', 'directories with a trace each')
    .option('--endpoint <URL>', 'send them to this collector, over HTTP; OTEL_EXPORTER_OTLP_HEADERS is sent with them', endpoint)
    .option('--out <FILE>', 'write them to this file, a line of JSON for each batch', name)
    .option('--service <NAME>', 'service.name (default: the program that was recorded)', name)
    .option('--sample <SHARE>', `also this share of the requests that are not of the tail (default: ${SAMPLE})`, sample)
    .option('--most <N>', `at most so many requests of each recording (default: ${MOST})`, count)
    .option('--percentile <P>', 'the tail are the requests at or above it, of 100 (default: 99)', percentile)
    .option('--skip <S>', 'leave out the requests of the first S seconds of each file, the warm-up', warmUp)
    .option('--shift-to-now', 'as if the last request had just ended: some tools refuse what is old')
    .addHelpText('after', `
Examples:
  edgewise export otlp edgewise-4711 --endpoint http://localhost:4318
  edgewise export otlp edgewise-4711 --out spans.jsonl --sample 0`)
    .action(async (directories, options) => {
      process.exitCode = await toOtlp(directories, options)
    })
}

/** @param {import('commander').Command} command */
function addPerfetto (command) {
  command.command('perfetto')
    .summary('as a trace for Perfetto')
    .description(`Writes a trace for ui.perfetto.dev: of each thread the events of its loop, with the
requests, collections and pauses in them; the requests, with what they waited
for; and what slow ones waited behind, as flows (docs/hand-over.md).`)
    .argument('<DIR>', 'a directory with a trace', name)
    .requiredOption('--out <FILE>', 'the file, such as edgewise.pftrace', name)
    .option('--percentile <P>', 'flows are of the requests at or above it, of 100 (default: 99)', percentile)
    .addHelpText('after', `
Example:
  edgewise export perfetto edgewise-4711 --out edgewise.pftrace`)
    .action(async (directory, options) => {
      process.exitCode = await toPerfetto(directory, options)
    })
}

/** @param {string} text */
function endpoint (text) {
  try {
    return spansUrl(text)
  } catch (error) {
    throw new InvalidArgumentError(`${/** @type {Error} */ (error).message}.`)
  }
}

/** @param {string} text */
function sample (text) {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  if (!(value <= 1)) throw new InvalidArgumentError('Allowed is a share from 0 to 1, such as 0.01.')
  return value
}

/**
 * @param {string[]} directories
 * @param {any} options
 * @returns {Promise<number>} the exit code
 */
async function toOtlp (directories, { endpoint, out, sample = SAMPLE, most = MOST, ...options }) {
  if (!endpoint === !out) throw new Failure('where to? Give --endpoint URL or --out FILE', EXIT.usage)
  const interrupt = interruption()
  const { signal } = interrupt
  const exporting = { ...options, sample, most, signal, progress: (/** @type {string} */ directory) => sayProgress(`reading ${directory}`) }
  const done = out
    ? await writeWhole({ option: '--out', what: 'the spans' }, out, directories[0], (file) => exportSpans(directories, toFile(file), exporting))
    : await exportSpans(directories, toEndpoint(endpoint, signal), exporting)
  interrupt.release()
  if (!done) return exitCodeAfter(signal)
  const { requests, spans, leftOut, rejected } = done
  note(`${requests} requests as ${spans} spans are in ${out ?? endpoint}`)
  if (leftOut > 0) note(`${leftOut} requests are left out: --most ${most}`)
  if (rejected > 0) note(`${rejected} spans were refused by the collector`)
  return EXIT.ok
}

/**
 * @param {string} directory
 * @param {{ out: string, percentile?: number }} options
 * @returns {Promise<number>} the exit code
 */
async function toPerfetto (directory, { out, percentile }) {
  const interrupt = interruption()
  const found = await writeWhole({ option: '--out', what: 'the trace' }, out, directory, (file) =>
    analyse(directory, { percentile, perfetto: file, slowest: 0 }, interrupt.signal, sayProgress(`reading ${directory}`)))
  interrupt.release()
  if (!found) return exitCodeAfter(interrupt.signal)
  for (const warning of found.warnings) note(warning)
  note(`${found.written} requests and ${found.events.count} events are in ${out}: open it in ui.perfetto.dev`)
  return EXIT.ok
}

/**
 * @param {string[]} directories
 * @param {{ out: string, app?: string, host?: string, percentile?: number }} options
 * @returns {Promise<number>} the exit code
 * @throws {import('./failure').Failure}
 */
async function toParquet (directories, { out, ...options }) {
  const interrupt = interruption()
  const done = await exportTables(directories, out, {
    ...options, signal: interrupt.signal, progress: (directory) => sayProgress(`exporting ${directory}`)
  })
  interrupt.release()
  if (!done) return exitCodeAfter(interrupt.signal)
  for (const { place, events, requests, warnings } of done) {
    for (const warning of warnings) note(warning)
    note(`${requests} requests and ${events} events are in`)
    process.stdout.write(`${place}\n`)
  }
  return EXIT.ok
}

module.exports = { add }
