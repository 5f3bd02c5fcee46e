'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { InvalidArgumentError } = require('commander')
const { VARIABLES, readConfig } = require('../config')
const { boost: render, readBoost } = require('../report/boost')
const { printable, styleOf } = require('../report/layout')
const { name } = require('./arguments')
const { EXIT, Failure, note } = require('./failure')
const { runForeground } = require('./foreground')
const { conclude } = require('./record')
const { prepareOut, recordedEnvironment } = require('./recording')
const { colorOf } = require('./terminal')

/** @param {import('commander').Command} program */
function add (program) {
  program.command('boost')
    .summary('run a command and boost the processor when its tail gains from it')
    .description('Runs a command with boosting on, in every Node.js process it starts: the processor\'s frequency is raised during garbage ' +
      'collections and while the event queue is overloaded. Tells at the end what was boosted, and exits with the command\'s exit code.')
    .argument('<command...>', 'what to run, after --')
    .option('--policy <LIST>', 'when to boost (default: EDGEWISE_BOOST, else gc,queue)', allowed('EDGEWISE_BOOST'))
    .option('--actuator <NAME>', 'how (default: EDGEWISE_BOOST_ACTUATOR, else auto)', allowed('EDGEWISE_BOOST_ACTUATOR'))
    .option('--record', 'record it as well')
    .option('--out <DIR>', 'with --record: where the trace goes (default: EDGEWISE_OUT, else ./edgewise-<pid>)', name)
    .option('--json', 'print what was boosted as JSON; what the command prints goes to stderr then')
    .passThroughOptions()
    .addHelpText('after', `
Examples:
  edgewise boost -- node app.js
  edgewise boost --policy slo --actuator cpufreq -- node app.js
  EDGEWISE_BOOST_ACTUATOR=emulated edgewise boost -- node app.js`)
    .action(async (command, options) => {
      process.exitCode = await boost(command, options)
    })
}

/**
 * @param {string[]} command
 * @param {{ policy?: string, actuator?: string, record?: boolean, out?: string, json?: boolean }} options
 * @returns {Promise<number>} the exit code
 */
async function boost (command, options) {
  if (options.out && !options.record) throw new Failure(`--out ${options.out}: there is a trace only with --record: add it, or leave out --out`, EXIT.usage)
  const out = options.record ? prepareOut(options.out) : null
  const { config } = readConfig()
  // Of a trace they are a part, which its report tells.
  const given = config.boostStats ?? out
  const stats = given ?? fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-boost-'))
  const earlier = new Set(threadsIn(stats).map(nameOf))
  try {
    // What the command prints must not mix with the JSON on stdout.
    const code = await runForeground(command, environment(options, { config, out, stats }), options.json ? ['inherit', 2, 'inherit'] : 'inherit')
    const concluded = out ? conclude(out, code) : code
    const threads = threadsIn(stats).filter((thread) => !earlier.has(nameOf(thread)))
    if (threads.length === 0) {
      note('nothing was boosted: the command must run Node.js, and a line above may say why it could not be')
      return concluded || EXIT.failure
    }
    process.stdout.write(options.json
      ? JSON.stringify({ schema: 1, boost: threads }, null, 2) + '\n'
      : render({ boost: printable(threads) }, styleOf({ color: colorOf(process.stdout), width: process.stdout.columns })) + '\n')
    return concluded
  } finally {
    if (!given) fs.rmSync(stats, { recursive: true, force: true })
  }
}

/** @param {string} directory @returns {Record<string, any>[]} what boosting left there, by thread */
function threadsIn (directory) {
  return fs.existsSync(directory) ? readBoost(directory) : []
}

/** @param {Record<string, any>} thread */
function nameOf ({ process, thread, run }) {
  return `${process}-${thread}-${run}`
}

/**
 * @param {{ policy?: string, actuator?: string }} options
 * @param {{ config: import('../config').Config, out: string | null, stats: string }} where
 * @returns {NodeJS.ProcessEnv}
 */
function environment ({ policy, actuator }, { config, out, stats }) {
  return {
    ...recordedEnvironment(process.env, out ?? config.out),
    EDGEWISE_BOOST: policy ?? config.boost ?? 'gc,queue',
    EDGEWISE_BOOST_ACTUATOR: actuator ?? config.boostActuator,
    EDGEWISE_BOOST_STATS: stats,
    EDGEWISE_ENABLED: out ? '1' : '0'
  }
}

/** @param {string} name of the variable whose values a flag takes */
function allowed (name) {
  const variable = VARIABLES.find((one) => one.name === name)
  return (/** @type {string} */ text) => {
    if (variable?.read(text, { pid: process.pid, cwd: '.' }) === undefined) throw new InvalidArgumentError(`Allowed is ${variable?.values}.`)
    return text
  }
}

module.exports = { add }
