'use strict'

// What is told of failed tests when all suites have run.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')

const REPORTER = path.join(__dirname, '../../scripts/tasks/failed-tests.js')
const TESTS = `
const assert = require('node:assert')
const test = require('node:test')
test('is right', () => {})
test('is wrong', () => assert.fail(['first', ...Array(30).fill('more'), 'last'].join('\\n')))
test('has a part', async (t) => { await t.test('the part', () => { throw new Error('broken') }) })
`

test('each failed test is told with the begin of its message, and none that passed', (t) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-failed-'))
  t.after(() => fs.rmSync(directory, { recursive: true }))
  const file = path.join(directory, 'some.test.js')
  fs.writeFileSync(file, TESTS)
  const { NODE_TEST_CONTEXT, ...env } = process.env // Else it reports to the runner of this test.
  const { status, stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${REPORTER}`, file], { encoding: 'utf8', env })
  assert.equal(status, 1)
  assert.match(stdout, /some\.test\.js: is wrong\n {2}first\n( {2}more\n){11}/)
  assert.match(stdout, /some\.test\.js: the part\n {2}broken\n/)
  assert.doesNotMatch(stdout, /last|is right|has a part/)
})
