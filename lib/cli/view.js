'use strict'

const { EXIT, Failure, note } = require('./failure')
const { aborted, exitCodeAfter, interruption } = require('./interruption')
const { analyse, sayProgress, selecting } = require('./report')
const { made, withColumns } = require('./page')
const { name, port } = require('./arguments')

/** @param {import('commander').Command} program */
function add (program) {
  selecting(program.command('view'))
    .summary('look at a trace of any size in a browser')
    .description(`Serves the page of a recorded trace to browsers of this machine, until Ctrl-C. It is
the page of report --html; and this one asks for what a file has no room for: what
the loops did at any time, and the path of any request. Meanwhile it needs room on
disk, about as much as the trace, in DIR or in the directory for temporary files.`)
    .argument('<DIR>', 'a directory with a trace (EDGEWISE_OUT, or --out of record)', name)
    .option('--port <N>', 'listen there (default: any that is free)', port)
    .addHelpText('after', `
Examples:
  edgewise view edgewise-4711
  edgewise view edgewise-4711 --route 'POST /todo' --percentile 99.9`)
    .action(async (directory, options) => {
      process.exitCode = await view(directory, options)
    })
}

/**
 * @param {string} directory
 * @param {import('./report').ReportOptions & { port?: number }} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function view (directory, { port: at, ...options }) {
  const interrupt = interruption()
  const found = await analyse(directory, { ...withColumns(options, directory), store: true }, interrupt.signal, sayProgress())
  if (!found) return exitCodeAfter(interrupt.signal)
  const { columns, ask, ...report } = found
  const { pageOf } = require('../page') // Only here: other commands begin sooner.
  const { serve } = require('../page/serve')
  const page = made(() => pageOf(report, columns, { asks: true }))
  const server = await serve(page, ask, { port: at }).catch((error) => {
    throw new Failure(error.code === 'EADDRINUSE' ? `--port ${at} is in use: choose another` : `cannot listen: ${error.message}`)
  })
  note('open this address in a browser of this machine; Ctrl-C ends it')
  process.stdout.write(`${server.address}\n`)
  await aborted(interrupt.signal)
  await server.close()
  interrupt.release()
  return EXIT.ok
}

module.exports = { add }
