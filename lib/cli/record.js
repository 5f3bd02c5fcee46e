'use strict'

const { quoted } = require('../shell')
const { EXIT, note } = require('./failure')
const { runForeground } = require('./foreground')
const { name } = require('./arguments')
const { interruption } = require('./interruption')
const { offerPage, withColumns } = require('./page')
const { megabytes, noTrace, prepareOut, recordedEnvironment, traceSize } = require('./recording')
const { analyse, sayProgress } = require('./report')

/** @param {import('commander').Command} program */
function add (program) {
  program.command('record')
    .summary('run a command and record it')
    .description('Runs a command with recording on, in every Node.js process it starts, and exits with its exit code.')
    .argument('<command...>', 'what to run, after --')
    .option('--out <DIR>', 'where the trace goes (default: EDGEWISE_OUT, else ./edgewise-<pid>)', name)
    .option('--no-page', 'do not write the page to look at (report.html in the trace\'s directory)')
    .passThroughOptions()
    .addHelpText('after', `
Examples:
  edgewise record -- node app.js
  edgewise record --out /tmp/trace -- npm start
  EDGEWISE_MODE=flight EDGEWISE_SLO_MS=500 edgewise record -- node app.js`)
    .action(async (command, options) => {
      process.exitCode = await record(command, options)
    })
}

/**
 * @param {string[]} command
 * @param {{ out?: string, page: boolean }} options
 * @returns {Promise<number>} the exit code
 */
async function record (command, options) {
  const out = prepareOut(options.out)
  const code = conclude(out, await runForeground(command, recordedEnvironment(process.env, out)))
  if (options.page && traceSize(out).files > 0) await offerPageOf(out)
  return code
}

/** Whoever does not want to wait for it interrupts it. @param {string} out */
async function offerPageOf (out) {
  const interrupt = interruption()
  try {
    const found = await analyse(out, withColumns({}, out), interrupt.signal, sayProgress())
    if (found) await offerPage(out, found)
    else note('no page: interrupted')
  } catch (error) {
    note(`no page: ${/** @type {Error} */ (error).message}`)
  } finally {
    interrupt.release()
  }
}

/**
 * Says where the trace is, or why there is none.
 * @param {string} out
 * @param {number} code the command's exit code
 * @returns {number} ours
 */
function conclude (out, code) {
  const { files, bytes } = traceSize(out)
  if (files === 0) {
    note(noTrace(out))
    return code || EXIT.failure
  }
  note(`recorded ${megabytes(bytes)} in ${files} ${files === 1 ? 'file' : 'files'}; next: edgewise report ${quoted(out)}`)
  return code
}

module.exports = { add, conclude }
