'use strict'

// Runs the tests of a tree of Node's sources with its own runner, tools/test.py.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { TaskError, elapsed, say } = require('../../scripts/tasks/step')
const { readTapLine } = require('./tap')

const TIMEOUT_S = 240 // a test's
const PROGRESS_MS = 30_000

/** @typedef {{ name: string, outcome: 'passed' | 'skipped' | 'failed' }} Result of one test */

/**
 * @param {string} node the program
 * @param {string[]} patterns of names
 * @param {{ title: string, tree: string, jobs: string, env: NodeJS.ProcessEnv }} settings env: beside this process's
 * @returns {Promise<Result[]>}
 * @throws {TaskError} when the runner did not run them all
 */
async function runTests (node, patterns, { title, tree, jobs, env }) {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-node-own-'))
  const command = [path.join('tools', 'test.py'), '--shell', node, '--progress', 'tap', '-j', jobs, '--timeout', String(TIMEOUT_S),
    '--temp-dir', temporary, '--flaky-tests', 'run', ...patterns]
  const began = Date.now()
  const child = spawn('python3', command, { cwd: tree, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  /** @type {Result[]} */
  const results = []
  const last = [] // lines, for when it fails
  let planned = 0
  say(`${title} ...`)
  const ticking = setInterval(() => say(`  ${results.length} of ${planned} tests after ${elapsed(began)}`), PROGRESS_MS)
  const read = async (stream) => {
    for await (const line of createInterface({ input: stream })) {
      const { plan, result } = readTapLine(line)
      if (plan !== undefined) planned = plan
      if (result) results.push(result)
      if (result?.outcome === 'failed') say(`  ${result.name} failed`)
      last.push(line)
      if (last.length > 20) last.shift()
    }
  }
  try {
    await Promise.all([read(child.stdout), read(child.stderr), new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))])
  } finally {
    clearInterval(ticking)
    fs.rmSync(temporary, { recursive: true, force: true })
  }
  if (planned === 0 || results.length !== planned) throw new TaskError(`${last.join('\n')}\n\n${results.length} of ${planned} tests were run`)
  return results
}

module.exports = { runTests }
