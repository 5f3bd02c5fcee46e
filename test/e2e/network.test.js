'use strict'

// Services of two machines, as far as one can have them: each in a network
// namespace of its own, with a line between them that takes a known time, and
// a clock that is ahead of the other's, or behind.

const assert = require('node:assert/strict')
const path = require('node:path')
const { test } = require('node:test')
const { edgewise, inParallel, request, startApp, temporaryDirectory } = require('./recorded-app')
const { noNetwork, startLine } = require('./surroundings')

const REQUESTS = 60
const LINE_MS = 5
const WAIT_MS = 20
const WORK_MS = 2
/** What the line, the loops and HTTP add. */
const SLACK_MS = 2

const skip = noNetwork()

/**
 * @param {any} t
 * @param {number} aheadNs the clock of who is asked
 * @param {Record<string, string>} cart more of its environment
 * @param {Record<string, string>} shop likewise
 * @returns {Promise<{ calls: any[], clocks: any[], services: any[] }>} the report across both
 */
async function across (t, aheadNs, cart, shop) {
  const line = await startLine(t, LINE_MS * 1000)
  const SOCKET = path.join(temporaryDirectory(t), 'shop.sock')
  const asked = await startApp(t, 'chained.js', {
    wrapper: line.within(1, aheadNs),
    env: { EDGEWISE_SERVICE: 'cart', HOST: line.hosts[1], WAIT_MS: String(WAIT_MS), WORK_MS: String(WORK_MS), ...cart }
  })
  const asking = await startApp(t, 'chained.js', {
    wrapper: line.within(0),
    env: { EDGEWISE_SERVICE: 'shop', SOCKET, NEXT_HOST: line.hosts[1], NEXT_PORTS: String(asked.port), ...shop }
  })
  await inParallel(REQUESTS, () => request(0, '/', { socketPath: SOCKET }), 1)
  for (const app of [asking, asked]) {
    await app.stop()
    assert.equal(app.stderr, '')
  }
  const { status, stdout, stderr } = await edgewise(['report', asking.out, asked.out, '--json'])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/** @param {any[]} calls @param {string} part @returns {number} ms, the mean of a call */
function meanMs (calls, part) {
  const all = calls.flatMap(({ tail, rest }) => [tail, rest]).filter((sum) => sum.calls > 0)
  return all.reduce((sum, each) => sum + each.calls * each[part], 0) / all.reduce((sum, each) => sum + each.calls, 0) / 1e6
}

for (const aheadMs of [0, 50, -50]) {
  for (const [what, cart, shop] of /** @type {[string, Record<string, string>, Record<string, string>][]} */ ([
    ['HTTP/1.1', {}, {}],
    ['HTTP/1.1 over TLS, on new connections', { TLS: '1' }, { NEXT_TLS: '1', CLOSE: '1' }],
    ['HTTP/2', { HTTP2: '1' }, { NEXT_HTTP2: '1' }]
  ])) {
    test(`${what}, ${LINE_MS} ms each way, the clock there is ${aheadMs} ms ahead`, { skip }, async (t) => {
      const { calls, clocks, services } = await across(t, aheadMs * 1e6, cart, shop)
      const { calls: count, joined } = services.find(({ service }) => service === 'shop')
      assert.equal(joined, count)
      assert.ok(count >= REQUESTS)
      // Only the monotonic clock is another one: by the calls CLOCK_REALTIME is the same within what one takes.
      assert.equal(clocks.length, aheadMs === 0 ? 0 : 1)
      for (const { ahead_least_ns: least, ahead_most_ns: most } of clocks) {
        assert.ok(least <= 0 && most >= 0 && most - least < 100e6, `${least} to ${most} ns`)
      }
      const parts = Object.fromEntries(['io_ns', 'network_ns', 'service_io_ns', 'queue_ns', 'exec_ns'].map((part) => [part, meanMs(calls, part)]))
      t.diagnostic(JSON.stringify(parts))
      const within = (/** @type {string} */ part, /** @type {number} */ least, /** @type {number} */ most) => {
        assert.ok(parts[part] > least && parts[part] < most, `${part} is ${parts[part]} ms, not ${least} to ${most}`)
      }
      within('network_ns', 2 * LINE_MS - 0.1, 2 * LINE_MS + SLACK_MS)
      // Node counts a timer's milliseconds from when the loop was told of the request, before it works.
      within('service_io_ns', WAIT_MS - WORK_MS - 1, WAIT_MS + 1)
      within('exec_ns', WORK_MS, WORK_MS + 2 * SLACK_MS)
      within('queue_ns', -0.1, SLACK_MS)
    })
  }
}
