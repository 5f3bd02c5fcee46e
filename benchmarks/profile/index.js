'use strict'

// npm run profile: set-up, then a real application under load with recording
// on, then the explanation of its slow requests.

const fs = require('node:fs')
const path = require('node:path')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { provideAddon } = require('../../scripts/tasks/build-addon')
const { isNodeName, nodeProgram } = require('../../scripts/tasks/node-release')
const { setup } = require('../../scripts/tasks/setup')
const { TaskError, main, runShown, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { NAMES, WARMUP_S, interruptible, runApp } = require('../apps/run')
const { describeRun } = require('../apps/summary')

const REGISTER = path.join(ROOT, 'lib', 'register.js')
const COMMAND_LINE = path.join(ROOT, 'bin', 'edgewise.js')
const FIRST = 'etherpad'
const OPTIONS = /** @type {const} */ ({
  rate: { type: 'string' },
  duration: { type: 'string', default: '30' },
  workers: { type: 'string', default: '1' },
  percentile: { type: 'string', default: '99' },
  out: { type: 'string' },
  node: { type: 'string', default: process.execPath }
})
// Limits of the numbers; the applications and the report check more.
const NUMBERS = { rate: [0.001, 1e6], duration: [1, 1e5], workers: [1, 1024], percentile: [0.001, 99.999] }

/** @param {string[]} names of the applications */
function usage (names) {
  return `Usage: npm run profile [-- [APP|all] [OPTION]...]

Sets up what is missing, starts a real application (${names.join(', ')}; without a name
${FIRST}) under open-loop load with recording on, and explains its slow requests.

  --rate R         requests per second (default: 60 % of what it can do, measured first)
  --duration S     seconds of load, after 5 s of warm-up (${OPTIONS.duration.default})
  --workers N      cluster workers, where the application has them (${OPTIONS.workers.default})
  --percentile P   the tail are the requests at or above it (${OPTIONS.percentile.default})
  --out DIR        where the trace goes (default: ./edgewise-APP-TIME); with 'all', one directory an application
  --node NODE      the Node.js it runs on: a program, a version such as 22, taken from npm, or 'patched'`
}

/** @param {string[]} args of the command line */
async function run (args) {
  const { values, positionals } = parseArguments(args, usage(NAMES), OPTIONS, (given, names) => problem(given, names, NAMES))
  await setup({ builds: 'programs' })
  const node = await nodeProgram(values.node)
  await provideAddon(node)
  const [wanted = FIRST] = positionals
  await interruptible(async signal => {
    for (const name of wanted === 'all' ? NAMES : [wanted]) {
      const out = traceDirectory(name, values.out, wanted === 'all')
      await profile(name, { values, node, out, signal })
    }
  })
}

function problem (values, positionals, names) {
  if (positionals.length > 1) return `'${positionals[1]}': one application is expected`
  const [wanted] = positionals
  if (wanted !== undefined && ![...names, 'all'].includes(wanted)) return `'${wanted}' is no application; there are ${names.join(', ')} and all`
  for (const [name, [least, most]] of Object.entries(NUMBERS)) {
    const text = values[name]
    if (text === undefined || (text.trim() !== '' && text >= least && text <= most)) continue
    return `--${name} ${text}: must be a number from ${least} to ${most}`
  }
  if (!isNodeName(values.node)) return `--node ${values.node}: neither a version (22 or 22.23.3), 'patched', nor a program that exists`
  if (values.out !== undefined && isFilled(values.out)) return `--out ${values.out}: must be a new or empty directory`
  return undefined
}

function isFilled (directory) {
  const stat = fs.statSync(directory, { throwIfNoEntry: false })
  return stat !== undefined && (!stat.isDirectory() || fs.readdirSync(directory).length > 0)
}

function traceDirectory (name, out, severalApps) {
  if (out !== undefined) return path.resolve(out, severalApps ? name : '.')
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
  return path.resolve(`edgewise-${name}-${time}`)
}

/**
 * @param {string} name of the application
 * @param {{values: Record<string, string>, node: string, out: string, signal: AbortSignal}} options
 */
async function profile (name, { values, node, out, signal }) {
  const result = await runApp(name, {
    rate: values.rate === undefined ? undefined : Number(values.rate),
    durationS: Number(values.duration),
    workers: Number(values.workers),
    node,
    nodeArgs: ['--require', REGISTER],
    env: { EDGEWISE_OUT: out, EDGEWISE_STACKS: '100' },
    progress: true,
    signal
  })
  say(`${name}: analysing ${out}`)
  console.log(`\nWhat the client saw\n${describeRun(result)}\n`)
  console.log(`The trace is in ${path.relative('', out)}; 'npx edgewise report --help' says what else can be asked of it.\n`)
  // The load warms the application up first.
  const explained = await runShown([node, COMMAND_LINE, 'report', out, '--percentile', values.percentile, '--skip', String(WARMUP_S), '--html'])
  if (!explained) throw new TaskError(`${name}: no report. The trace is in ${out}`)
}

main(run)
