'use strict'

// End-to-end suites again, under another Node.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { ROOT, plainEnvironment } = require('./recorded-app')

/**
 * @param {string} node the program
 * @param {string[]} args of its test runner: suites, below the project's root
 * @returns {Promise<number>} how many tests passed; rejects unless all did, and at least one
 */
async function runSuites (node, args) {
  const child = spawn(node, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...args],
    { cwd: ROOT, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (data) => { output += data })
  child.stderr.on('data', (data) => { output += data })
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0, output)
  const passed = Number(/pass (\d+)/.exec(output)?.[1] ?? 0)
  assert.ok(passed > 0, output)
  return passed
}

module.exports = { runSuites }
