'use strict'

// Runs the tests of a tree of Node's sources with its own runner, tools/test.py.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { TaskError, runStep } = require('../../scripts/tasks/step')
const { readTapLine } = require('./tap')

const TIMEOUT_S = 240 // a test's
const PASSED = 0
const SOME_FAILED = 1

/** @typedef {{ name: string, outcome: 'passed' | 'skipped' | 'failed' }} Result of one test */

/**
 * @param {string} node the program
 * @param {string[]} patterns of names
 * @param {{ title: string, log: string, tree: string, jobs: string, env: NodeJS.ProcessEnv }} settings
 *   log: its name; what failing tests print is there. env: beside this process's
 * @returns {Promise<Result[]>}
 * @throws {TaskError} when the runner did not run them all
 */
async function runTests (node, patterns, { title, log, tree, jobs, env }) {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-node-own-'))
  const command = ['python3', path.join('tools', 'test.py'), '--shell', node, '--progress', 'tap', '-j', jobs, '--timeout', String(TIMEOUT_S),
    '--temp-dir', temporary, '--flaky-tests', 'run', ...patterns]
  try {
    const text = await runStep(log, title, command, { cwd: tree, env: { ...process.env, ...env }, progress, exitCodes: [PASSED, SOME_FAILED] })
    const { planned, results } = readTap(text)
    if (planned === 0 || results.length !== planned) throw new TaskError(`${title}: ${results.length} of ${planned} tests were run. The whole log is build/log/${log}.log`)
    return results
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}

function progress (text) {
  const { planned, results } = readTap(text)
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  return `${results.length} of ${planned} tests, ${failed} failed,`
}

function readTap (text) {
  const lines = text.split('\n').map(readTapLine)
  return {
    planned: lines.find(({ plan }) => plan !== undefined)?.plan ?? 0,
    results: lines.flatMap(({ result }) => result ?? [])
  }
}

module.exports = { runTests }
