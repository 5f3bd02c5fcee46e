'use strict'

// The command `edgewise`: one file a subcommand. Results go to stdout, progress
// and warnings to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage; `record`
// gives its command's own; 130 after Ctrl-C.

const { Command, CommanderError } = require('commander')
const { version } = require('../../package.json')
const { EXIT, Failure, note } = require('./failure')
const { explainUsage } = require('./usage')

// Each is loaded with its own dependencies only when the command line is built;
// none of them loads the addon before it runs.
const SUBCOMMANDS = ['profile', 'record', 'report', 'view', 'flame', 'query', 'burst', 'export', 'compare', 'whatif', 'slow', 'boost', 'tune', 'control', 'bpf', 'kernel', 'boostd', 'doctor'].map((name) => require(`./${name}`))

/** @returns {Command} */
function program () {
  const command = new Command('edgewise')
    .description('Finds why the slow requests of a Node.js server are slow.')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .addHelpText('after', `
Examples:
  edgewise profile --url / -- node app.js
  edgewise record -- node app.js
  edgewise report edgewise-4711 --percentile 99.9`)
  for (const { add } of SUBCOMMANDS) add(command)
  explainUsage(command)
  return command
}

/**
 * Runs the command line and sets the process's exit code. Does not throw.
 * @param {string[]} argv
 */
async function main (argv) {
  // `edgewise report DIR | head` is not an error.
  process.stdout.on('error', (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE') process.exit()
    note(`cannot write the output: ${error.message}`)
    process.exit(EXIT.failure)
  })
  process.stderr.on('error', () => {})
  try {
    await program().parseAsync(argv)
  } catch (error) {
    process.exitCode = explain(error)
  }
}

/**
 * @param {unknown} error
 * @returns {number} the exit code
 */
function explain (error) {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage // It has been shown.
  if (error instanceof Failure) {
    note(error.message)
    return error.exitCode
  }
  process.stderr.write(`edgewise: this should not happen: ${error instanceof Error ? error.stack : error}\n`)
  return EXIT.failure
}

module.exports = { main, program }
