'use strict'

// Work that a library's own promises resume is its request's.

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { reportedRequests, report, request, startServer } = require('../e2e/recorded-app')
const { appsDirectory } = require('./packages')

test('workerpool', async (t) => {
  const directory = await appsDirectory(t)
  if (directory === null) return
  const app = await startServer(t, path.join(directory, 'workerpool.js'))
  for (let turn = 0; turn < 5; turn++) {
    const pending = { slow: true }
    const slow = request(app.port, '/slow').finally(() => { pending.slow = false })
    while (pending.slow) await request(app.port, '/fast')
    assert.equal((await slow).body, '2')
  }
  await app.stop()
  const slow = reportedRequests(app.out).filter(({ route }) => route === 'GET /slow')
  assert.equal(slow.length, 5)
  for (const { exec_ns: ns } of slow) assert.ok(ns > 50e6, `${ns} ns of its own`)
  const [worst] = report(app.out, { route: 'GET /fast' }).blockers
  assert.match(`${worst.route ?? worst.what}`, /GET \/slow/)
})
