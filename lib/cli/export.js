'use strict'

const { EXIT, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { name, percentile } = require('./arguments')
const { sayProgress } = require('./report')
const { exportTables } = require('./tables')

/** @param {import('commander').Command} program */
function add (program) {
  const command = program.command('export')
    .summary('hand a trace to other tools')
    .description('Writes what a trace holds in a format of other tools.')
    .addHelpText('after', `
Examples:
  edgewise export parquet edgewise-4711 --out tables
  edgewise export parquet edgewise-4711 edgewise-4712 --out tables --app shop --host web-1`)
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
