'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { measured } = require('../../benchmarks/whatif/cells')

const demand = (/** @type {string} */ route, /** @type {number} */ requests, /** @type {number} */ execution, /** @type {number} */ wait) => ({ route, requests, execution_ns: execution, wait_ns: wait })

test('what a change brings is measured route by route', () => {
  const before = [demand('GET /a', 200, 2e6, 1e6), demand('GET /b', 400, 1e6, 0), demand('GET /rare', 5, 1e6, 0)]
  const after = [demand('GET /a', 198, 1e6, 1e6), demand('GET /b', 401, 1.02e6, 0), demand('GET /rare', 5, 9e6, 0)]
  assert.deepEqual(measured(before, after).changes, [{ kind: 'cpu', route: 'GET /a', scale: 0.5 }])
})

test('requests that are answered elsewhere after a change belong to their route', () => {
  const { changes, path } = measured([demand('GET /a', 200, 2e6, 1e6), demand('GET /b', 400, 1e6, 0)], [demand('GET /a', 10, 2e6, 1e6), demand('GET /', 190, 2e4, 0), demand('GET /b', 401, 1e6, 0)])
  assert.deepEqual(changes, [{ kind: 'cpu', route: 'GET /a', scale: 0.0595 }, { kind: 'wait', route: 'GET /a', scale: 0.05 }])
  assert.equal(path({ route: 'GET /a', latency_ns: 4e6, exec_ns: 2e6, io_ns: 1e6 }), 4e6 - 0.9405 * 2e6 - 0.95e6)
})
