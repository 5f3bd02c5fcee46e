'use strict'

// Requests through several services: each call is joined with the request that
// it was, and what it took is told by what that did.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { freePort } = require('../../benchmarks/apps/service')
const { listens } = require('../listens')
const { edgewise, inParallel, reportedRequests, request, startApp, temporaryDirectory } = require('./recorded-app')

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

/** A path that no other request has, all of one length. @param {number} i */
const letters = (i) => String.fromCharCode(97 + Math.floor(i / 26), 97 + i % 26)

/**
 * @param {Record<string, any>} apps
 * @param {string} front
 * @param {number} [clients]
 * @param {(i: number) => string} [pathOf]
 * @returns {Promise<any>} the report across all; each request has an `x-request-id`
 */
async function across (apps, front, clients = 4, pathOf = (i) => i % 2 === 0 ? 'even' : 'odd') {
  await inParallel(REQUESTS, (i) => request(apps[front].port, `/${pathOf(i)}`, { headers: { 'x-request-id': `id-${i}` } }), clients)
  for (const app of Object.values(apps).reverse()) await app.stop()
  const { status, stdout, stderr } = await edgewise(['report', ...Object.values(apps).map(({ out }) => out), '--json', '--slowest', String(REQUESTS)])
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

/** What proxies are told, by program: where they listen, and who answers there. */
const PROXIES = {
  nginx: (/** @type {string} */ directory, /** @type {number} */ port, /** @type {number} */ to) => ({
    config: `daemon off;\nmaster_process off;\npid ${directory}/pid;\nerror_log ${directory}/log;\nevents {}\nhttp {
      access_log off;\nclient_body_temp_path ${directory};\nproxy_temp_path ${directory};\nfastcgi_temp_path ${directory};\nuwsgi_temp_path ${directory};\nscgi_temp_path ${directory};
      upstream back { server 127.0.0.1:${to}; keepalive 8; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection ""; } }\n}\n`,
    args: ['-e', path.join(directory, 'log'), '-c']
  }),
  haproxy: (/** @type {string} */ directory, /** @type {number} */ port, /** @type {number} */ to) => ({
    config: `defaults\n mode http\n timeout connect 5s\n timeout client 30s\n timeout server 30s\nlisten front\n bind 127.0.0.1:${port}\n server back 127.0.0.1:${to}\n`,
    args: ['-db', '-f']
  }),
  // Passes bytes on.
  'haproxy of TCP': (/** @type {string} */ directory, /** @type {number} */ port, /** @type {number} */ to) => {
    const { config, args } = PROXIES.haproxy(directory, port, to)
    return { config: config.replace('mode http', 'mode tcp'), args }
  }
}

/** @param {any} t @param {'nginx' | 'haproxy' | 'haproxy of TCP'} program @param {number} to @returns {Promise<number>} the port of the proxy */
async function startProxy (t, program, to) {
  const directory = temporaryDirectory(t)
  const port = await freePort()
  const { config, args } = PROXIES[program](directory, port, to)
  const file = path.join(directory, 'config')
  fs.writeFileSync(file, config)
  const child = spawn(program.split(' ')[0], [...args, file], { stdio: 'ignore', env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` } })
  t.after(() => child.kill())
  while (child.exitCode === null && !await listens(port)) await sleep(20)
  assert.equal(child.exitCode, null, `${program} does not run`)
  return port
}

for (const program of /** @type {('nginx' | 'haproxy')[]} */ (['nginx', 'haproxy'])) {
  test(`behind ${program}: by what the call has named itself, and never by guess`, async (t) => {
    for (const [named, env] of /** @type {[string, Record<string, string>][]} */ ([['http', { NAMES: '1' }], ['fetch', { NAMES: '1', FETCH: '1' }], ['nothing', {}]])) {
      await t.test(named, async (t) => {
        const cart = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'cart', WAIT_MS: '5' } })
        const port = await startProxy(t, program, cart.port)
        const shop = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'shop', NEXT_PORTS: String(port), ...env } })
        const found = await across({ cart, shop }, 'shop')
        const { calls, joined, by } = serviceOf(found, 'shop')
        assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
        assert.equal(joined, named === 'nothing' ? 0 : calls)
        assert.equal(by.traceparent, joined)
        for (const tree of found.slowest.filter((/** @type {any} */ { service }) => service === 'shop')) {
          for (const call of tree.calls) {
            assert.equal(call.by, 'traceparent')
            assert.equal(call.route, tree.route)
          }
        }
      })
    }
  })
}

for (const [how, proxy, env] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
  ['http', {}, {}],
  ['fetch', {}, { FETCH: '1' }],
  ['https', { TLS: '1' }, { NEXT_TLS: '1' }],
  ['HTTP/2', { HTTP2: '1' }, { NEXT_HTTP2: '1' }]
])) {
  test(`behind a proxy, by the x-request-id that all pass on: ${how}`, async (t) => {
    // nginx speaks neither HTTP/2 nor, here, TLS with who answers.
    const program = how === 'https' || how === 'HTTP/2' ? 'haproxy of TCP' : 'nginx'
    const stock = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'stock', WAIT_MS: '5', ...proxy } })
    const cart = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'cart', PASS_ID: '1', NEXT_PORTS: String(await startProxy(t, program, stock.port)), ...proxy, ...env } })
    const shop = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'shop', PASS_ID: '1', NEXT_PORTS: String(await startProxy(t, program, cart.port)), ...env } })
    const found = await across({ stock, cart, shop }, 'shop', 4, letters)
    for (const name of ['shop', 'cart']) {
      const { calls, joined, by } = serviceOf(found, name)
      // Handshakes of TLS with who is not known are calls.
      assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
      assert.equal(by['x-request-id'], joined, name)
      // Not where both ends lost the processor just then.
      assert.ok(joined >= REQUESTS * 0.8 && joined <= REQUESTS, `${name}: ${joined} of ${calls}`)
    }
    for (const tree of found.slowest) {
      assert.equal(tree.service, 'shop')
      for (const call of tree.calls) {
        assert.equal(`${call.service} ${call.route}`, `cart ${tree.route}`)
        for (const further of call.calls) assert.equal(`${further.service} ${further.route}`, `stock ${tree.route}`)
      }
    }
  })
}

test('what a service asks of others at once by one x-request-id is not guessed', async (t) => {
  const left = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'left', WAIT_MS: '3' } })
  const right = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'right', WAIT_MS: '30' } })
  const ports = await Promise.all([left, right].map(({ port }) => startProxy(t, 'nginx', port)))
  const shop = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'shop', PASS_ID: '1', TOGETHER: '1', NEXT_PORTS: ports.join(',') } })
  const found = await across({ left, right, shop }, 'shop', 4, letters)
  const { calls, joined, undecided } = serviceOf(found, 'shop')
  assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
  assert.ok(joined + undecided <= calls)
  assert.ok(undecided > REQUESTS / 2, `${joined} of ${calls} joined, ${undecided} not decided`)
  for (const tree of found.slowest) for (const { service, route } of tree.calls) assert.equal(`${service} ${route}`, `right ${tree.route}`, 'which is waited for longer')
})

for (const [how, proxy, env] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
  ['http', {}, { SOCKETS: '2' }],
  ['bodies', { ANSWER: '300000' }, { SOCKETS: '2', BODY: '100000' }],
  ['https', { TLS: '1' }, { SOCKETS: '2', NEXT_TLS: '1' }],
  ['questions of one length', {}, { SOCKETS: '2' }]
])) {
  test(`where bytes are passed on: inferred by them, and told so: ${how}`, async (t) => {
    const cart = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'cart', WAIT_MS: '5', ...proxy } })
    const port = await startProxy(t, 'haproxy of TCP', cart.port)
    const shop = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: 'shop', NEXT_PORTS: String(port), ...env } })
    // Of one length only times tell one connection from the other: then some may not be told.
    const lengths = how.endsWith('of one length') ? 1 : 20
    const found = await across({ cart, shop }, 'shop', 2, (i) => letters(i).repeat(1 + i % lengths))
    const { calls, joined, by } = serviceOf(found, 'shop')
    assert.ok(calls >= REQUESTS * 0.9, `${calls}`)
    assert.equal(by.bytes, joined)
    if (lengths > 1) assert.ok(joined >= REQUESTS * 0.9, `${joined} of ${calls}`)
    for (const tree of found.slowest) {
      for (const call of tree.calls) assert.equal(call.route.split(' ')[1], tree.route.split(' ')[1])
    }
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
