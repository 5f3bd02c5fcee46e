'use strict'

// What npm run test:node reads of Node's test runner.

const assert = require('node:assert/strict')
const test = require('node:test')
const { readTapLine } = require('../node-own/tap')

test('lines of TAP', () => {
  assert.deepEqual(readTapLine('1..47'), { plan: 47 })
  assert.deepEqual(readTapLine('ok 3 parallel/test-timers-immediate'), { result: { name: 'parallel/test-timers-immediate', outcome: 'passed' } })
  assert.deepEqual(readTapLine('not ok 12 parallel/test-fs-x.mjs'), { result: { name: 'parallel/test-fs-x.mjs', outcome: 'failed' } })
  assert.deepEqual(readTapLine('ok 4 parallel/test-tls-y # skip missing crypto'), { result: { name: 'parallel/test-tls-y', outcome: 'skipped' } })
  assert.deepEqual(readTapLine('not ok 5 parallel/test-z # TODO : Fix flaky test'), { result: { name: 'parallel/test-z', outcome: 'failed' } })
  assert.deepEqual(readTapLine('    ok so far'), {})
  assert.deepEqual(readTapLine('  stack: |-'), {})
})
