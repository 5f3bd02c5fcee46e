'use strict'

// npm run check: everything that can be said of the tree without reading it.

const fs = require('node:fs')
const path = require('node:path')
const { PATCHES } = require('../../lib/native/patched-node')
const { parseArguments } = require('./arguments')
const { patchedTree } = require('./build-node')
const { layerProblems } = require('./check-layers')
const { tidyProblems } = require('./check-tidy')
const { treeProblems } = require('./check-tree')
const { patchProblems } = require('./patched-tree')
const { setup } = require('./setup')
const { TaskError, capture, elapsed, say } = require('./step')
const { run: runTests } = require('./test')
const { passedAt, treeFiles } = require('./tested-tree')
const { ROOT, walk } = require('./tree')

/** @typedef {{files: string[], fix: boolean}} Context */

/**
 * Each check returns its findings; an empty list is a pass.
 * @type {Record<string, (context: Context) => string[] | Promise<string[]>>}
 */
const CHECKS = {
  layers: ({ files }) => layerProblems(ROOT, files),
  tree: ({ files }) => treeProblems(ROOT, files),
  format: ({ files, fix }) => tool(['clang-format', ...(fix ? ['-i'] : ['--dry-run', '-Werror']), ...files.filter(isCpp)]),
  lint: ({ fix }) => tool([program('eslint'), '.', ...(fix ? ['--fix'] : [])]),
  types: () => ['.', 'lib/page/app'].flatMap(project => tool([program('tsc'), '--project', project])),
  tidy: ({ files }) => tidyProblems(files.filter(file => file.endsWith('.cc'))),
  patches: checkPatches,
  tests: checkTests
}

const USAGE = `Usage: npm run check [-- [--fix] [CHECK]...]

Runs the checks, all of them or the named ones: ${Object.keys(CHECKS).join(', ')}.
The tests are not run again when npm test has just passed on exactly this tree.

  --fix   let clang-format and ESLint correct what they can`

/** @param {string[]} args of the command line */
async function run (args) {
  const { values, positionals } = parseArguments(args, USAGE, { fix: { type: 'boolean', default: false } }, unknownCheck)
  await setup({ groups: ['check'] })
  const context = { files: sourceFiles(), fix: values.fix }
  const failed = []
  for (const name of positionals.length ? positionals : Object.keys(CHECKS)) {
    const began = Date.now()
    const problems = await CHECKS[name](context)
    if (problems.length) failed.push(name)
    for (const problem of problems) say(problem)
    say(`check ${name}: ${problems.length ? 'FAILED' : 'ok'} (${elapsed(began)})`)
  }
  if (failed.length) throw new TaskError(`Failed checks: ${failed.join(', ')}`)
}

function unknownCheck (_values, names) {
  const unknown = names.find(name => !(name in CHECKS))
  return unknown && `'${unknown}' is not a check`
}

function isCpp (file) {
  return /\.(cc|h)$/.test(file)
}

// Outside a git checkout (an unpacked archive) every file counts.
function sourceFiles () {
  const files = treeFiles()
  if (files.length) return files
  const places = fs.readdirSync(ROOT).filter(name => !['build', 'node_modules', '.cache', '.git'].includes(name))
  return [...walk(places)].filter(entry => entry.stat.isFile()).map(entry => path.relative(ROOT, entry.file))
}

function program (name) {
  return path.join(ROOT, 'node_modules', '.bin', name)
}

function tool (command) {
  const { ok, stdout, stderr } = capture(command, { cwd: ROOT })
  return ok ? [] : [`${stdout}${stderr}`.trim() || `${command[0]} failed without a word`]
}

// Without the sources of Node there is nothing to apply them to.
function checkPatches () {
  const tree = patchedTree()
  if (fs.existsSync(tree)) return patchProblems(tree, PATCHES)
  say('  skipped: the sources of Node are not there (npm run build:node fetches them)')
  return []
}

async function checkTests () {
  const when = passedAt()
  if (when) {
    say(`  npm test passed on exactly this tree (${when})`)
    return []
  }
  try {
    await runTests([])
    return []
  } catch (error) {
    if (error instanceof TaskError) return [error.message]
    throw error
  }
}

module.exports = { run }
