'use strict'

// What a request's caller says in `traceparent` is recorded, and its spans hang
// there.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http2 = require('node:http2')
const path = require('node:path')
const { test } = require('node:test')
const { edgewise, inParallel, reportedRequests, request, startApp } = require('./recorded-app')

const REQUESTS = 60
const hex = (/** @type {number} */ number, /** @type {number} */ digits) => number.toString(16).padStart(digits, '0')
/** Of each third caller: none, one, and one that is not valid. */
const CALLERS = Array.from({ length: REQUESTS }, (_, i) => ({
  header: [undefined, `00-${hex(i + 1, 32)}-${hex(i + 1, 16)}-01`, `00-${hex(0, 32)}-${hex(i + 1, 16)}-01`][i % 3],
  valid: i % 3 === 1,
  number: i + 1
}))
/** As Node's client writes it, and as others do. */
const NAMES = ['traceparent', 'Traceparent', 'TRACEPARENT']

/** @param {any} app @param {(path: string, headers: Record<string, string>) => Promise<any>} ask */
async function tracedBy (app, ask) {
  await inParallel(REQUESTS, (i) => ask(`/?number=${i}`, {
    'x-request-id': `${i}`,
    ...CALLERS[i].header && { [NAMES[i % NAMES.length]]: CALLERS[i].header }
  }))
}

/** @param {any} app */
function checkRows (app) {
  const rows = reportedRequests(app.out)
  assert.equal(rows.length, REQUESTS)
  const said = rows.filter((row) => row.trace_id !== undefined).map(({ trace_id: trace, parent_span_id: parent }) => [trace, parent])
  const expected = CALLERS.filter(({ valid }) => valid).map(({ number }) => [hex(number, 32), hex(number, 16)])
  assert.deepEqual(said.sort(), expected.sort())
}

for (const file of ['http.js', 'express.js', 'fastify.js']) {
  test(file, async (t) => {
    const app = await startApp(t, file)
    await tracedBy(app, (url, headers) => request(app.port, url, { headers }))
    await app.stop()
    assert.equal(app.stderr, '')
    checkRows(app)
  })
}

test('http2.js', async (t) => {
  const app = await startApp(t, 'http2.js')
  const session = http2.connect(`http://127.0.0.1:${app.port}`)
  await tracedBy(app, (url, headers) => new Promise((resolve, reject) => {
    session.request({ ':path': url, ...headers }).on('error', reject).on('close', resolve).resume().end()
  }))
  session.destroy()
  await app.stop()
  checkRows(app)
})

test('spans hang where their callers are, and links lead there', async (t) => {
  const app = await startApp(t, 'demands.js')
  await tracedBy(app, (url, headers) => request(app.port, `/works${url.slice(1)}`, { headers }))
  await app.stop()
  const file = path.join(app.root, 'spans')
  const { status, stderr } = await edgewise(['export', 'otlp', app.out, '--out', file, '--sample', '1'])
  assert.equal(status, 0, stderr)
  const spans = fs.readFileSync(file, 'utf8').trim().split('\n').flatMap((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans)
  const roots = spans.filter((/** @type {any} */ { kind }) => kind === 2)
  assert.equal(roots.length, REQUESTS)
  const hung = roots.filter((/** @type {any} */ { parentSpanId }) => parentSpanId !== undefined)
  assert.equal(hung.length, CALLERS.filter(({ valid }) => valid).length)
  for (const { traceId, parentSpanId, flags } of hung) {
    assert.equal(Number.parseInt(traceId, 16), Number.parseInt(parentSpanId, 16))
    assert.equal(flags, 1)
  }
  const known = new Set(roots.map((/** @type {any} */ { traceId, spanId }) => traceId + spanId))
  const links = roots.flatMap((/** @type {any} */ root) => root.links)
  assert.ok(links.length > REQUESTS / 2)
  for (const { traceId, spanId } of links) assert.ok(known.has(traceId + spanId))
  for (const { traceId, parentSpanId } of spans.filter((/** @type {any} */ { kind }) => kind !== 2)) assert.ok(known.has(traceId + parentSpanId))
})
