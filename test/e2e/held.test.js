'use strict'

// What a request waits for that another one holds, or does.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const test = require('node:test')
const { timedTest } = require('./attempts')
const { report, request, startApp } = require('./recorded-app')

const ROUNDS = 4
const HELD_NS = 30e6 // Of 40 ms: the first ones pass before the second request is there.
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Has the second request come while the first one runs, several times. @param {string} [path] of both */
async function behind (t, first, second, path = '') {
  const app = await startApp(t, 'held.js')
  for (let i = 0; i < ROUNDS; i++) {
    const holder = request(app.port, `/${first}${path}`)
    await sleep(5)
    await Promise.all([holder, request(app.port, `/${second}${path}`)])
  }
  await app.stop()
  const found = report(app.out, { route: `GET /${second}${path && '/:id'}`, percentile: 0.001 })
  assert.equal(found.requests.count, ROUNDS)
  return found
}

/** @param {any} found @param {string} what @param {string} call */
function waitsFor ({ dependencies: [row], slowest }, what, call) {
  assert.deepEqual([row.what, row.kind, row.requests, row.calls], [what, 'request', ROUNDS, null])
  assert.ok(row.io_ns > ROUNDS * HELD_NS, JSON.stringify(row))
  for (const { path } of slowest) {
    const step = path.find(({ dependency }) => dependency === what)
    assert.ok(step.call.startsWith(call), JSON.stringify(step))
  }
}

timedTest('a slot that another request holds', async (t) => {
  waitsFor(await behind(t, 'report', 'quick'), 'request GET /report', 'timer')
})

timedTest('a slot that another request holds, with callbacks only', async (t) => {
  waitsFor(await behind(t, 'hold-plainly', 'quick'), 'request GET /hold-plainly', 'timer')
})

timedTest('a slot that is given back long before the request ends that held it', async (t) => {
  waitsFor(await behind(t, 'early', 'quick'), 'request GET /early', 'timer')
})

test('news that another request brings', async (t) => {
  const app = await startApp(t, 'held.js')
  const news = request(app.port, '/news')
  await sleep(50)
  await Promise.all([news, request(app.port, '/publish')])
  await app.stop()
  const { dependencies: [row] } = report(app.out, { route: 'GET /news', percentile: 0.001 })
  assert.equal(row.what, 'request GET /publish')
})

timedTest('an answer that another request has asked for', async (t) => {
  const upstream = http.createServer((_, response) => setTimeout(() => response.end('answer'), 40)).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.after(() => { upstream.closeAllConnections(); upstream.close() })
  const { port } = /** @type {any} */ (upstream.address())
  waitsFor(await behind(t, 'first', 'second', `/${port}`), 'request GET /first/:id', `http 127.0.0.1:${port}`)
})

test('what runs beside another request waits for itself', async (t) => {
  const { dependencies } = await behind(t, 'report', 'apart')
  assert.deepEqual(dependencies.map(({ what }) => what), ['timer'])
})
