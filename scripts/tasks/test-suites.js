'use strict'

// The test suites: one for ctest, and one for every directory of test/ with
// *.test.js files in it. A new directory is a new suite; nothing is listed twice.

const fs = require('node:fs')
const path = require('node:path')
const { TaskError } = require('./step')
const { ROOT, BUILD, walk } = require('./tree')

const NATIVE = 'native'
// Needs a Node that takes an hour to build.
const PATCHED = 'patched'
// Needs packages, which take an hour to compile.
const PREBUILDS = 'prebuilds'
// Their files do not measure time, so that they may run beside each other.
const CONCURRENT = ['lib', 'scripts']
// A file may build the addon for other Nodes, on a slow machine.
const FILE_TIMEOUT_MS = 1_800_000
const FAILED_TESTS = path.join(__dirname, 'failed-tests.js')

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string[]} files of a JavaScript suite, relative to the root
 */

/** @returns {Suite[]} native first, then by name */
function allSuites () {
  const names = fs.readdirSync(path.join(ROOT, 'test')).sort()
  const suites = names.map(name => ({ name, files: testFiles(`test/${name}`) }))
  return [{ name: NATIVE, files: [] }, ...suites.filter(suite => suite.files.length > 0)]
}

function testFiles (directory) {
  const files = [...walk([directory])].map(entry => path.relative(ROOT, entry.file))
  return files.filter(file => file.endsWith('.test.js')).sort()
}

/**
 * @param {string[]} wanted names of suites or test files; none: every suite
 * @returns {Suite[]}
 * @throws {TaskError} exit code 2: names what is no suite, and the suites
 */
function chooseSuites (wanted) {
  const suites = allSuites()
  if (wanted.length === 0) return suites
  return wanted.map(name => {
    const suite = suites.find(each => each.name === name || `test/${each.name}` === name.replace(/\/$/, ''))
    if (suite) return suite
    const file = path.relative(ROOT, path.resolve(name))
    if (file.endsWith('.test.js') && fs.existsSync(path.join(ROOT, file))) return { name: file, files: [file] }
    throw new TaskError(`'${name}' is neither a test file nor a suite. The suites are ${suites.map(each => each.name).join(', ')}`, 2)
  })
}

/**
 * @param {Suite} suite
 * @param {string} node the node program that runs a JavaScript suite
 * @param {string} [directory] the CMake build whose tests the native suite runs
 * @param {string} [failures] a file that gets what failed of a JavaScript suite
 * @returns {string[]} the runner and its arguments
 */
function suiteCommand (suite, node, directory = BUILD, failures = undefined) {
  if (suite.name === NATIVE) {
    return ['ctest', '--test-dir', directory, '--output-on-failure', '--no-tests=error', '--timeout', '300', '--parallel', '2']
  }
  const concurrency = CONCURRENT.includes(suite.name) ? 2 : 1
  const reporters = failures === undefined ? [] : ['--test-reporter-destination=stdout', `--test-reporter=${FAILED_TESTS}`, `--test-reporter-destination=${failures}`]
  return [node, '--test', '--test-reporter=spec', ...reporters, `--test-concurrency=${concurrency}`,
    `--test-timeout=${FILE_TIMEOUT_MS}`, ...suite.files]
}

module.exports = { NATIVE, PATCHED, PREBUILDS, chooseSuites, suiteCommand }
