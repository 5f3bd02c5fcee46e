'use strict'

// npm test: set-up, then every suite. Each suite is one run of its runner, and
// ends in the runner's own closing lines.

const fs = require('node:fs')
const path = require('node:path')
const { findPatchedNode } = require('../../lib/native/patched-node')
const { parseArguments } = require('./arguments')
const { provideAddon } = require('./build-addon')
const { describeNode, isNodeName, nodeProgram } = require('./node-release')
const { setup } = require('./setup')
const { TaskError, say, runShown } = require('./step')
const { NATIVE, PATCHED, PREBUILDS, chooseSuites, suiteCommand } = require('./test-suites')
const { treeHash, recordPass } = require('./tested-tree')
const { BUILD, ROOT } = require('./tree')

/** Who names Nodes wants these: test/e2e/other-nodes.test.js has nothing to do. */
const NO_OTHERS = { OTHER_NODES: '' }

const USAGE = `Usage: npm test [-- [--node FILE|VERSION]... [--debug] [SUITE|FILE]...]

Sets up what is missing and runs the tests: all of them, or the named suites
(directories of test/) or files.

  --node NODE   run the JavaScript suites with this node: a program, or a version
                such as 22, which is taken from npm; may be given several times
  --debug       run the patched Node's tests on its debug build, with heap verification`

/** @param {string[]} args of the command line */
async function run (args) {
  const { values, positionals } = parseArguments(args, USAGE, {
    node: { type: 'string', multiple: true, default: [] },
    debug: { type: 'boolean', default: false }
  }, unknownNode)
  if (values.debug) process.env.PATCHED_VARIANT = 'debug'
  const suites = withoutUnbuilt(withoutMachines(chooseSuites(positionals), positionals.length > 0), positionals.length > 0)
  const wanted = values.node.length ? suites.filter(suite => suite.name !== NATIVE) : suites
  await setup({ groups: ['test'], builds: wanted.some(suite => suite.name === NATIVE) ? 'all' : 'programs' })
  const tested = treeHash()
  const failed = values.node.length ? await testWithNodes(values.node, wanted) : await runSuites(wanted, process.execPath)
  if (failed.length) throw new TaskError(`\nFailed: ${failed.join(', ')}`)
  if (args.length === 0) recordPass(tested)
}

// All tests are those that can be run; who asks for the patched Node's gets them.
function withoutUnbuilt (suites, asked) {
  const { built, hash, howToBuild } = findPatchedNode({ variant: process.env.PATCHED_VARIANT })
  const needs = suite => suite.files.some(file => file.startsWith(`test/${PATCHED}/`))
  if (built || !suites.some(needs)) return suites
  const why = `there is no Node with the patches as they are (${hash}); to build it, in about an hour: ${howToBuild}`
  if (asked) throw new TaskError(`${PATCHED} tests: ${why}`)
  say(`${PATCHED} tests skipped: ${why}`)
  return suites.filter(suite => !needs(suite))
}

// They have a command of their own, which makes what they install on.
function withoutMachines (suites, asked) {
  const needs = suite => suite.files.some(file => file.startsWith(`test/${PREBUILDS}/`))
  if (!suites.some(needs)) return suites
  if (asked) throw new TaskError(`${PREBUILDS} tests: run them by 'npm run test:prebuilds'`)
  say(`${PREBUILDS} tests left out: 'npm run test:prebuilds' runs them on the packages of 'npm run build:prebuilds'`)
  return suites.filter(suite => !needs(suite))
}

async function testWithNodes (wanted, suites) {
  const failed = []
  for (const each of wanted) {
    const program = await nodeProgram(each)
    const { version } = describeNode(program)
    await provideAddon(program)
    say(`\nNode ${version}`)
    failed.push(...(await runSuites(suites, program, NO_OTHERS)).map(name => `${name} (Node ${version})`))
  }
  return failed
}

function unknownNode (values) {
  const unknown = values.node.find(each => !isNodeName(each))
  return unknown && `--node ${unknown}: neither a version (22 or 22.23.3) nor a program that exists`
}

/**
 * Runs every suite, also after one has failed, and tells what failed once more.
 * @param {import('./test-suites').Suite[]} suites
 * @param {string} node
 * @param {NodeJS.ProcessEnv} [more] of their environment, as far as the user's own says nothing
 * @returns {Promise<string[]>} the names of those that failed
 */
async function runSuites (suites, node, more = {}) {
  const failed = []
  const failures = path.join(BUILD, 'log', 'failed-tests.log')
  fs.mkdirSync(path.dirname(failures), { recursive: true })
  let told = ''
  for (const suite of suites) {
    console.log(`\n== ${suite.name} tests`)
    const env = { ...more, ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` }
    fs.writeFileSync(failures, '')
    if (await runShown(suiteCommand(suite, node, BUILD, failures), { cwd: ROOT, env })) continue
    failed.push(suite.name)
    told += fs.readFileSync(failures, 'utf8')
  }
  if (told) say(`\n== Failed tests\n${told}`)
  return failed
}

module.exports = { run, runSuites }
