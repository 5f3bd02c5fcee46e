'use strict'

const { Option } = require('commander')
const { EXIT, Failure } = require('./failure')
const { askOf } = require('./query')

/** @param {import('commander').Command} program */
function add (program) {
  const burst = program.command('burst')
    .summary('find the bursts that hold a request')
    .description('Of recordings whose stacks were recorded in bursts (EDGEWISE_BURST).')
    .addHelpText('after', `
Example:
  edgewise burst find edgewise-4711 "latency_ns > ms(50)"`)
  burst.command('find')
    .summary('tell the bursts in which an interesting request lies')
    .description(`Tells the bursts in which a request lies as a whole for which a predicate holds, the
one with the slowest request first. All processes have the same bursts: what another one
did meanwhile is in its recording at that time. It needs DuckDB, as query does.`)
    .argument('<WHAT...>', 'directories with traces or tables; last the predicate, in SQL')
    .addOption(new Option('--json', 'print it as JSON').conflicts('csv'))
    .option('--csv', 'print it as CSV')
    .addHelpText('after', `
The predicate is on the columns of requests (docs/tables.md).

Example:
  edgewise burst find edgewise-4711 edgewise-4712 "latency_ns > ms(50) AND route = 'GET /c'"`)
    .action(async (what, options) => {
      process.exitCode = await find(what, options)
    })
}

/**
 * @param {string[]} what
 * @param {import('./query').Output} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
function find (what, options) {
  const directories = what.slice(0, -1)
  if (directories.length === 0) throw new Failure('which recording, or which predicate? edgewise burst find DIR "latency_ns > ms(50)"', EXIT.usage)
  const { burstsWith } = require('../query/bursts')
  return askOf(directories, () => burstsWith(String(what.at(-1))), options)
}

module.exports = { add }
