'use strict'

// What a request of HTTP/2 waits for and how long it runs, of a server that is
// known to do both: its session writes later, and in parts.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http2 = require('node:http2')
const { test } = require('node:test')
const { inParallel, report, reportedRequests, startApp } = require('./recorded-app')

const REQUESTS = 40
const WORK_MS = 3
const WAIT_MS = 20

/** @param {http2.ClientHttp2Session} session @param {number} bytes of a body */
async function ask (session, bytes) {
  const stream = session.request({ ':path': '/', ':method': bytes > 0 ? 'POST' : 'GET' })
  stream.resume().end(bytes > 0 ? 'x'.repeat(bytes) : undefined)
  await once(stream, 'end')
}

const sum = (/** @type {any[]} */ path, /** @type {string} */ part, /** @type {RegExp} */ type = /./) =>
  path.filter((step) => type.test(step.type)).reduce((ns, step) => ns + step[part], 0) / 1e6

for (const [what, env, bytes, clients] of /** @type {[string, Record<string, string>, number, number][]} */ ([
  ['a short answer', {}, 0, 1],
  ['an answer that the client takes in parts', { ANSWER: '1000000' }, 0, 1],
  ['such answers side by side', { ANSWER: '1000000' }, 0, 4],
  ['a body', {}, 300_000, 1]
])) {
  test(what, async (t) => {
    const app = await startApp(t, 'chained.js', { env: { HTTP2: '1', WORK_MS: String(WORK_MS), WAIT_MS: String(WAIT_MS), ...env } })
    const session = http2.connect(`http://127.0.0.1:${app.port}`)
    await inParallel(REQUESTS, () => ask(session, bytes), clients)
    session.close()
    await app.stop()
    assert.equal(app.stderr, '')
    const requests = reportedRequests(app.out)
    assert.equal(requests.length, REQUESTS)
    for (const { id } of requests) {
      const { request } = report(app.out, { request: id, slowest: 0 })
      const told = JSON.stringify(request.path)
      // Node counts a timer's milliseconds from when the loop was told of the request, before it works.
      const timerMs = sum(request.path, 'io_ns', /^timer$/)
      const before = request.path.slice(0, request.path.findIndex((/** @type {any} */ { type }) => type === 'timer'))
      const countedMs = timerMs + sum(before, 'queue_ns') + sum(before, 'exec_ns')
      assert.ok(countedMs > WAIT_MS - 1 && timerMs < WAIT_MS + 2, `${timerMs} ms for the timer: ${told}`)
      assert.ok(sum(request.path, 'exec_ns') >= WORK_MS, `it works: ${told}`)
      assert.ok(sum(request.path, 'io_ns', /^immediate$/) < 1, `what the session puts off is no wait: ${told}`)
    }
  })
}
