'use strict'

// Calls whose connection does not tell which requests they are: by their names,
// by the bytes, or not at all.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { REQUESTS, across, letters, serviceOf, startProxy } = require('./services')
const { startApp } = require('./recorded-app')

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
      // Who writes and loses the processor tells of it late: where nothing is certain, nothing is said. On a machine without
      // a processor to spare that is a third of the calls.
      assert.ok(joined >= REQUESTS * 0.4 && joined <= REQUESTS, `${name}: ${joined} of ${calls}`)
    }
    // A request whose call is not told stands alone.
    const next = /** @type {Record<string, string[]>} */ ({ shop: ['cart'], cart: ['stock'], stock: [] })
    const checked = (/** @type {any} */ { service, route, calls }) => {
      for (const call of calls) {
        assert.ok(next[service].includes(call.service), `${service} asks ${call.service}`)
        assert.equal(call.route, route)
        checked(call)
      }
    }
    for (const tree of found.slowest) checked(tree)
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
