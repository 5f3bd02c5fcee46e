'use strict'

// Requests through several services: each call is joined with the request that
// it was, and what it took is told by what that did.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { edgewise, inParallel, reportedRequests, request, startApp } = require('./recorded-app')

const REQUESTS = 60

/**
 * @param {any} t
 * @param {Record<string, { next?: string[], env?: Record<string, string> }>} services those that are asked before those that ask
 */
async function started (t, services) {
  const apps = /** @type {Record<string, any>} */ ({})
  for (const [name, { next = [], env = {} }] of Object.entries(services)) {
    apps[name] = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: name, NEXT_PORTS: next.map((other) => apps[other].port).join(','), ...env } })
  }
  return apps
}

/** @param {Record<string, any>} apps @param {string} front @param {number} [clients] @returns {Promise<any>} the report across all */
async function across (apps, front, clients = 4) {
  await inParallel(REQUESTS, (i) => request(apps[front].port, `/${i % 2 === 0 ? 'even' : 'odd'}`), clients)
  for (const app of Object.values(apps).reverse()) await app.stop()
  const { status, stdout, stderr } = await edgewise(['report', ...Object.values(apps).map(({ out }) => out), '--json'])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const callsOf = (/** @type {any} */ found, /** @type {string} */ from, /** @type {string} */ to) =>
  found.calls.filter((/** @type {any} */ call) => call.from === from && call.to === to)
const countOf = (/** @type {any[]} */ calls) => calls.reduce((sum, { tail, rest }) => sum + tail.calls + rest.calls, 0)
const serviceOf = (/** @type {any} */ found, /** @type {string} */ name) => found.services.find((/** @type {any} */ each) => each.service === name)

test('a chain of three: every call is joined, and its time is that of the services', async (t) => {
  const apps = await started(t, {
    stock: { env: { WORK_MS: '1', WAIT_MS: '20' } },
    cart: { next: ['stock'], env: { WORK_MS: '3' } },
    shop: { next: ['cart'] }
  })
  const found = await across(apps, 'shop')
  for (const name of ['shop', 'cart']) {
    const { calls, joined } = serviceOf(found, name)
    assert.equal(joined, calls, name)
    assert.equal(calls, REQUESTS, name)
  }
  assert.deepEqual(callsOf(found, 'shop', 'cart').map(({ route }) => route).sort(), ['GET /even', 'GET /odd'])
  assert.equal(countOf(callsOf(found, 'shop', 'cart')), REQUESTS)
  assert.equal(countOf(callsOf(found, 'cart', 'stock')), REQUESTS)
  assert.equal(callsOf(found, 'shop', 'stock').length, 0)
  for (const { tail, rest } of callsOf(found, 'shop', 'cart')) {
    for (const of of [tail, rest].filter(({ calls }) => calls > 0)) {
      assert.ok(Math.abs(of.network_ns + of.service_io_ns + of.queue_ns + of.exec_ns - of.io_ns) <= 3, 'they sum')
      assert.ok(of.exec_ns >= 5e6, 'it works for 6 ms, of which the caller may see some 5')
      assert.ok(of.service_io_ns >= 20e6, 'it waits for what waits for 20 ms')
      assert.ok(of.network_ns < 5e6)
    }
  }
  // A request of the front end, through all.
  const [slow] = found.slowest
  assert.equal(slow.service, 'shop')
  assert.equal(slow.calls.length, 1)
  assert.equal(slow.calls[0].service, 'cart')
  assert.equal(slow.calls[0].route, slow.route)
  assert.equal(slow.calls[0].calls[0].service, 'stock')
  assert.equal(slow.calls[0].calls[0].calls.length, 0)
})

test('who queues there is named with whom it waits behind', async (t) => {
  const apps = await started(t, { cart: { env: { WORK_MS: '10' } }, shop: { next: ['cart'], env: { WORK_MS: '0' } } })
  const found = await across(apps, 'shop', 8)
  const calls = callsOf(found, 'shop', 'cart')
  const queued = calls.reduce((/** @type {number} */ sum, /** @type {any} */ { tail, rest }) => sum + tail.calls * (tail.queue_ns ?? 0) + rest.calls * (rest.queue_ns ?? 0), 0) / countOf(calls)
  assert.ok(queued > 30e6, `${queued} ns: seven others run for 10 ms each`)
  for (const { rest } of calls) assert.match(rest.behind[0].route, /^GET \/(even|odd)$/)
})

test('a fan-out: all calls of a request are joined, each with its own', async (t) => {
  const apps = await started(t, {
    left: { env: { WAIT_MS: '5' } },
    right: { env: { WAIT_MS: '15' } },
    shop: { next: ['left', 'right'], env: { TOGETHER: '1' } }
  })
  const found = await across(apps, 'shop')
  const { calls, joined } = serviceOf(found, 'shop')
  assert.equal(joined, calls)
  assert.ok(countOf(callsOf(found, 'shop', 'right')) >= REQUESTS * 0.9, 'the slower one is on the path')
})

test('bodies in both directions, several writes and reads a message', async (t) => {
  const apps = await started(t, { cart: { env: { ANSWER: '300000', WAIT_MS: '3' } }, shop: { next: ['cart'], env: { BODY: '200000', SOCKETS: '1' } } })
  const found = await across(apps, 'shop')
  const { calls, joined } = serviceOf(found, 'shop')
  assert.equal(joined, calls)
  assert.ok(calls >= REQUESTS)
  const ids = new Set(reportedRequests(apps.cart.out).map(({ id }) => id))
  assert.equal(ids.size, REQUESTS)
})

for (const [what, cart, shop] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
  ['over TLS, on kept connections', { TLS: '1' }, { NEXT_TLS: '1' }],
  ['over TLS, on one connection', { TLS: '1', WAIT_MS: '2' }, { NEXT_TLS: '1', SOCKETS: '1' }],
  ['by fetch()', { WAIT_MS: '2' }, { FETCH: '1' }]
])) {
  test(what, async (t) => {
    const apps = await started(t, { cart: { env: cart }, shop: { next: ['cart'], env: shop } })
    const found = await across(apps, 'shop')
    const { calls, joined } = serviceOf(found, 'shop')
    assert.equal(joined, calls)
    assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
  })
}

test('a service that is not recorded is a dependency as ever', async (t) => {
  const unseen = await startApp(t, 'chained.js', { register: null })
  const shop = await startApp(t, 'chained.js', { env: { NEXT_PORTS: String(unseen.port), EDGEWISE_SERVICE: 'shop' } })
  const other = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'other' } })
  await request(other.port, '/')
  const found = await across({ other, shop }, 'shop')
  const { calls, joined } = serviceOf(found, 'shop')
  assert.equal(joined, 0)
  assert.equal(calls, REQUESTS)
  await unseen.stop()
})

test('as text: services, calls, and the slowest request through all', async (t) => {
  const apps = await started(t, { cart: { env: { WAIT_MS: '5' } }, shop: { next: ['cart'] } })
  await inParallel(REQUESTS, () => request(apps.shop.port, '/'))
  for (const app of Object.values(apps)) await app.stop()
  const directories = Object.values(apps).map(({ out }) => out)
  const { status, stdout, stderr } = await edgewise(['report', ...directories])
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^2 recordings of 2 services\.$/m)
  assert.match(stdout, /shop → cart +GET \/ +tail/)
  assert.match(stdout, /^ {4}[\d.]+ ms cart: GET \/, request \d+: network /m)
  for (const option of ['--html', '--markdown', '--request=1', '--route=GET /']) {
    const refused = await edgewise(['report', ...directories, option])
    assert.equal(refused.status, 2, option)
    assert.match(refused.stderr, /is for one directory, and there are 2/)
  }
})
