'use strict'

// Three services, observed by OpenTelemetry and recorded at the same time: what
// edgewise joins without any header is what the propagated header says.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { ROOT, edgewise, inParallel, reportedRequests, request, startServer } = require('../e2e/recorded-app')
const { appsDirectory } = require('./packages')

const REQUESTS = 60
/** OpenTelemetry's SpanKind. */
const KIND = { server: 1, client: 2 }

/** @param {string} file @returns {{ kind: number, trace: string, id: string, parent?: string }[]} */
const spansIn = (file) => fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))

test('the joins are those of OpenTelemetry, and say what its spans do not', async (t) => {
  const directory = await appsDirectory(t)
  if (directory === null) return
  const start = (/** @type {string} */ name, /** @type {Record<string, string>} */ env) => startServer(t, path.join(directory, 'chained-observed.js'), {
    env: { CHAINED: path.join(ROOT, 'test/e2e/apps/chained.js'), SPANS: path.join(directory, `${name}.spans`), EDGEWISE_SERVICE: name, ...env }
  })
  const stock = await start('stock', { WORK_MS: '6' })
  const cart = await start('cart', { NEXT_PORTS: String(stock.port) })
  const shop = await start('shop', { NEXT_PORTS: String(cart.port) })
  await inParallel(REQUESTS, (i) => request(shop.port, i % 2 === 0 ? '/even' : '/odd'), 6)
  for (const app of [shop, cart, stock]) {
    await app.stop()
    assert.equal(app.stderr, '')
  }

  const spans = Object.fromEntries(['shop', 'cart', 'stock'].map((name) => [name, spansIn(path.join(directory, `${name}.spans`))]))
  const ofKind = (/** @type {string} */ name, /** @type {number} */ kind) => spans[name].filter((span) => span.kind === kind)
  for (const name of ['shop', 'cart', 'stock']) assert.equal(ofKind(name, KIND.server).length, REQUESTS, name)

  const { status, stdout, stderr } = await edgewise(['report', shop.out, cart.out, stock.out, '--json', '--slowest', String(REQUESTS)])
  assert.equal(status, 0, stderr)
  const { services, slowest, calls } = JSON.parse(stdout)
  for (const { service, calls: made, joined, by } of services) {
    assert.equal(made, service === 'stock' ? 0 : REQUESTS)
    assert.equal(joined, made)
    assert.equal(by.connection, joined, 'by their connections')
  }

  // Each request through all, against the spans.
  const contextOf = (/** @type {any} */ app) => new Map(reportedRequests(app.out).map(({ id, trace_id: trace, parent_span_id: parent }) => [id, { trace, parent }]))
  const ofCart = contextOf(cart)
  const ofStock = contextOf(stock)
  const clients = new Map([...ofKind('shop', KIND.client), ...ofKind('cart', KIND.client)].map((span) => [span.id, span]))
  assert.equal(slowest.length, REQUESTS)
  let seen = 0
  for (const tree of slowest) {
    assert.equal(tree.calls.length, 1)
    const [inCart] = tree.calls
    assert.equal(inCart.calls.length, 1)
    const [inStock] = inCart.calls
    const first = ofCart.get(inCart.request)
    const second = ofStock.get(inStock.request)
    assert.equal(first?.trace, second?.trace, 'one trace')
    assert.equal(clients.get(String(first?.parent))?.trace, first?.trace)
    // The span that has asked stock is below the one that cart has served with.
    const served = ofKind('cart', KIND.server).find(({ id }) => id === clients.get(String(second?.parent))?.parent)
    assert.equal(served?.parent, first?.parent)
    seen++
  }
  assert.equal(seen, REQUESTS)

  // A span of stock is 6 ms and its queue; which part is which, only this says.
  const way = calls.filter((/** @type {any} */ { to }) => to === 'stock')
  for (const { tail, rest } of way) {
    for (const of of [tail, rest].filter(({ calls: made }) => made > 0)) assert.ok(of.exec_ns >= 5e6 && of.queue_ns >= 0)
  }
  assert.ok(way.some((/** @type {any} */ { tail, rest }) => [...tail.behind ?? [], ...rest.behind ?? []].length > 0), 'six clients wait behind one another')
})
