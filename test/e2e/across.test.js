'use strict'

// Requests through several services: each call is joined with the request that
// it was, and what it took is told by what that did.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { edgewise, inParallel, report, reportedRequests, request, startApp, temporaryDirectory } = require('./recorded-app')
const { REQUESTS, across, callsOf, countOf, letters, serviceOf, started } = require('./services')

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

test('a diamond: two services ask a third one for the same request', async (t) => {
  const apps = await started(t, { stock: { env: { WAIT_MS: '3' } }, left: { next: ['stock'] }, right: { next: ['stock'], env: { WAIT_MS: '10' } }, shop: { next: ['left', 'right'] } })
  const found = await across(apps, 'shop')
  for (const name of ['shop', 'left', 'right']) {
    const { calls, joined } = serviceOf(found, name)
    assert.equal(joined, calls, name)
    assert.equal(calls, name === 'shop' ? 2 * REQUESTS : REQUESTS, name)
  }
  for (const tree of found.slowest) {
    assert.deepEqual(tree.calls.map((/** @type {any} */ { service }) => service), ['left', 'right'])
    const [left, right] = tree.calls.map((/** @type {any} */ { calls }) => calls.map((/** @type {any} */ { service, request }) => `${service} ${request}`))
    assert.equal(left.length, 1)
    assert.equal(right.length, 1)
    assert.notDeepEqual(left, right, 'two requests of stock')
  }
})

test('what is asked again is two calls, each with its request', async (t) => {
  const apps = await started(t, { cart: { env: { FAIL: '3' } }, shop: { next: ['cart'], env: { RETRY: '1' } } })
  const found = await across(apps, 'shop', 1)
  const { calls, joined } = serviceOf(found, 'shop')
  const served = reportedRequests(apps.cart.out)
  assert.ok(served.length > REQUESTS)
  assert.equal(calls, served.length)
  assert.equal(joined, calls)
})

test('of hedged calls the one that was waited for is joined', async (t) => {
  const apps = await started(t, { cart: { env: { WAIT_MS: '4', SLOW_EACH: '4' } }, shop: { next: ['cart'], env: { HEDGE_MS: '15' } } })
  const found = await across(apps, 'shop', 2)
  const { calls, joined } = serviceOf(found, 'shop')
  assert.ok(calls >= REQUESTS * 0.9)
  assert.equal(joined, calls)
  const took = new Map(reportedRequests(apps.cart.out).map(({ id, latency_ns: latency }) => [id, latency]))
  for (const tree of found.slowest) for (const call of tree.calls) assert.ok(Number(took.get(call.request)) <= tree.latency_ns, 'not one that was left')
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
  ['over TLS, on new connections', { TLS: '1' }, { NEXT_TLS: '1', CLOSE: '1' }],
  ['over TLS 1.2, on new connections', { TLS: '1' }, { NEXT_TLS: '1', CLOSE: '1', NODE_OPTIONS: '--tls-max-v1.2' }],
  ['on new connections', {}, { CLOSE: '1' }],
  ['bodies in their own time', { WAIT_MS: '5' }, { BODY: '100', TRICKLE: '1' }],
  ['bodies that are asked for', { WAIT_MS: '60' }, { BODY: '100', EXPECT: '1' }],
  ['by fetch()', { WAIT_MS: '2' }, { FETCH: '1' }],
  ['by fetch() over TLS', { TLS: '1', WAIT_MS: '2' }, { FETCH: '1', NEXT_TLS: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ['over TLS with bodies, on new connections', { TLS: '1', ANSWER: '100000' }, { BODY: '70000', NEXT_TLS: '1', CLOSE: '1' }]
])) {
  test(what, async (t) => {
    const apps = await started(t, { cart: { env: cart }, shop: { next: ['cart'], env: shop } })
    const found = await across(apps, 'shop')
    const { calls, joined } = serviceOf(found, 'shop')
    assert.equal(joined, calls)
    assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
    // A body that goes on after an answer is no further call.
    const asked = report(apps.shop.out, { percentile: 0.001 }).dependencies.filter((/** @type {any} */ { kind }) => kind.startsWith('http'))
    assert.deepEqual(asked.map((/** @type {any} */ each) => each.calls), [REQUESTS])
  })
}

for (const [what, cart, shop] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
  ['by streams of HTTP/2 on one session', {}, {}],
  ['by streams of HTTP/2, two at once of a request', {}, { TWICE: '1', TOGETHER: '1' }],
  ['by streams of HTTP/2 with bodies', { ANSWER: '100000' }, { BODY: '70000' }],
  ['by HTTP/2 over TLS', { TLS: '1' }, { NEXT_TLS: '1' }],
  ['by HTTP/2 as gRPC uses it', {}, { NEXT_GRPC: '1' }],
  ['by HTTP/2, on a new session for each call', {}, { FRESH: '1' }],
  ['by HTTP/2 over TLS, on a new session for each call', { TLS: '1' }, { FRESH: '1', NEXT_TLS: '1' }],
  ['by HTTP/2, calls that are given up before their session is connected', {}, { FRESH: '1', ABANDON: '1' }]
])) {
  test(what, async (t) => {
    const { TWICE, ...env } = shop
    const apps = await started(t, { cart: { env: { HTTP2: '1', WAIT_MS: '5', WORK_MS: '1', ...cart } }, shop: { next: TWICE ? ['cart', 'cart'] : ['cart'], env: { NEXT_HTTP2: '1', ...env } } })
    const found = await across(apps, 'shop', 8)
    const { calls, joined } = serviceOf(found, 'shop')
    assert.equal(joined, calls)
    assert.ok(calls >= REQUESTS, `${calls}`)
    const ways = callsOf(found, 'shop', 'cart')
    assert.deepEqual(ways.map(({ route }) => route.replace(/^POST/, 'GET')).sort(), ['GET /even', 'GET /odd'])
    // A request asks for its own path: none was taken for another's.
    for (const tree of found.slowest) {
      assert.equal(tree.service, 'shop')
      for (const call of tree.calls) assert.equal(call.route.split(' ')[1], tree.route.split(' ')[1])
    }
  })
}

for (const [what, cart, shop] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
  ['on one connection', {}, { UNDICI: 'client' }],
  ['on one connection over TLS', { TLS: '1' }, { UNDICI: 'client', NEXT_TLS: '1' }],
  ['on one connection, with bodies', { ANSWER: '100000' }, { UNDICI: 'client', BODY: '30000' }],
  ['pipelined to a busy service, which reads several at once', { WORK_MS: '4', WAIT_MS: '0' }, { UNDICI: 'client', PIPELINING: '6', WORK_MS: '0' }],
  ['in a pool of two', {}, { UNDICI: 'pool' }],
  ['in a pool of two, by a service that is asked twice', {}, { UNDICI: 'pool', TWICE: '1' }]
])) {
  test(`by undici, where questions wait for others: ${what}`, async (t) => {
    const { TWICE, ...env } = shop
    const apps = await started(t, { cart: { env: { WAIT_MS: '3', ...cart } }, shop: { next: TWICE ? ['cart', 'cart'] : ['cart'], env } })
    const found = await across(apps, 'shop', 6, letters)
    const { calls, joined } = serviceOf(found, 'shop')
    assert.equal(joined, calls)
    assert.ok(calls >= REQUESTS * (TWICE ? 2 : 1), `${calls}`)
    for (const tree of found.slowest) {
      assert.equal(tree.service, 'shop')
      assert.equal(tree.calls.length, TWICE ? 2 : 1)
      for (const call of tree.calls) assert.equal(call.route.split(' ')[1], tree.route.split(' ')[1])
    }
  })
}

test('over Unix sockets, on kept connections and on new ones', async (t) => {
  for (const way of [{}, { SOCKETS: '1' }, { CLOSE: '1' }]) {
    const SOCKET = path.join(temporaryDirectory(t), 'cart.sock')
    const apps = await started(t, { cart: { env: { SOCKET, WAIT_MS: '5' } }, shop: { next: ['cart'], env: { NEXT_SOCKET: SOCKET, ...way } } })
    const found = await across(apps, 'shop')
    const { calls, joined } = serviceOf(found, 'shop')
    assert.equal(joined, calls)
    assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
    for (const tree of found.slowest) {
      for (const call of tree.calls) assert.equal(call.route, tree.route)
    }
  }
})

test('workers of a cluster, whose connections the primary has accepted', async (t) => {
  const apps = await started(t, { cart: { env: { WORKERS: '2', WAIT_MS: '3' } }, shop: { next: ['cart'], env: { SOCKETS: '4' } } })
  const found = await across(apps, 'shop')
  const { calls, joined } = serviceOf(found, 'shop')
  assert.equal(joined, calls)
  assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
})

for (const [what, cart, shop] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
  ['of HTTP/1.1', {}, {}],
  ['of TLS', { TLS: '1' }, { NEXT_TLS: '1' }],
  ['of a cluster', { WORKERS: '2' }, {}]
])) {
  test(`connections ${what} that were open before recording began`, async (t) => {
    const off = { EDGEWISE_ENABLED: '0', SOCKETS: '2' }
    const apps = await started(t, { cart: { env: { ...off, ANSWER: '70000', ...cart } }, shop: { next: ['cart'], env: { ...off, BODY: '30000', ...shop } } })
    await inParallel(20, () => request(apps.shop.port, '/before'), 2)
    for (const { child } of Object.values(apps)) {
      for (const pid of [child.pid, ...childrenOf(child.pid)]) assert.equal((await edgewise(['on', String(pid)])).status, 0)
    }
    const found = await across(apps, 'shop', 2)
    const { calls, joined } = serviceOf(found, 'shop')
    assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
    assert.equal(joined, calls)
  })
}

/** @param {number} pid @returns {number[]} */
function childrenOf (pid) {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
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
