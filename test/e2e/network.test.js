'use strict'

// Services of two machines, as far as one can have them: each in a network
// namespace of its own, with a line between them that takes a known time, and
// a clock that is ahead of the other's, or behind.

const assert = require('node:assert/strict')
const path = require('node:path')
const { test } = require('node:test')
const { edgewise, inParallel, reportedRequests, request, startApp, temporaryDirectory } = require('./recorded-app')
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
 * @returns {Promise<{ calls: any[], clocks: any[], services: any[], served: any[] }>} the report across both, and the requests of who is asked
 */
async function across (t, aheadNs, cart, shop) {
  const { asked, asking } = await recorded(t, aheadNs, cart, shop)
  const { status, stdout, stderr } = await edgewise(['report', asking.out, asked.out, '--json'])
  assert.equal(status, 0, stderr)
  return { ...JSON.parse(stdout), served: reportedRequests(asked.out) }
}

/**
 * @param {any} t
 * @param {number} aheadNs
 * @param {Record<string, string>} cart
 * @param {Record<string, string>} shop
 * @param {{ asked?: string[], asking?: string[] }} [wrappers] that run them
 */
async function recorded (t, aheadNs, cart, shop, wrappers = {}) {
  const line = await startLine(t, LINE_MS * 1000)
  const SOCKET = path.join(temporaryDirectory(t), 'shop.sock')
  const asked = await startApp(t, 'chained.js', {
    wrapper: [...line.within(1, aheadNs), ...wrappers.asked ?? []],
    env: { EDGEWISE_SERVICE: 'cart', HOST: line.hosts[1], WAIT_MS: String(WAIT_MS), WORK_MS: String(WORK_MS), ...cart }
  })
  const asking = await startApp(t, 'chained.js', {
    wrapper: [...line.within(0), ...wrappers.asking ?? []],
    env: { EDGEWISE_SERVICE: 'shop', SOCKET, NEXT_HOST: line.hosts[1], NEXT_PORTS: String(asked.port), ...shop }
  })
  await inParallel(REQUESTS, () => request(0, '/', { socketPath: SOCKET }), 1)
  for (const app of [asking, asked]) {
    await app.stop()
    assert.equal(app.stderr, '')
  }
  return { asked, asking }
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
      const { calls, clocks, services, served } = await across(t, aheadMs * 1e6, cart, shop)
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
      // And it is what the service's own recording says.
      for (const part of ['exec_ns', 'queue_ns']) {
        const own = served.reduce((sum, each) => sum + each[part], 0) / served.length / 1e6
        within(part, own - 0.1, own + 0.1)
      }
    })
  }
}

// One of both is 0.5 s behind: what the kernel stamps arrivals with is then to come, and not believed.
for (const aheadS of [0.5, -0.5]) {
  test(`a wall clock that is ${aheadS} s ahead is told, and no time depends on it`, { skip }, async (t) => {
    const bursts = { EDGEWISE_BURST: '128/512' }
    const { asked, asking } = await recorded(t, 1e6, bursts, bursts, { [aheadS > 0 ? 'asking' : 'asked']: ['faketime', '--exclude-monotonic', '-f', '-0.5s'] })
    const run = (/** @type {string[]} */ args) => edgewise(['report', asking.out, asked.out, ...args])
    const { status, stdout, stderr } = await run(['--json'])
    assert.equal(status, 0, stderr)
    const { calls, clocks: [clock], services } = JSON.parse(stdout)
    const { calls: count, joined } = services.find(({ service }) => service === 'shop')
    assert.equal(joined, count)
    for (const { ahead_least_ns: least, ahead_most_ns: most } of [clock, ...clock.minutes]) {
      assert.ok(least < aheadS * 1e9 && most > aheadS * 1e9 && most - least < 100e6, `${least} to ${most} ns`)
    }
    const network = meanMs(calls, 'network_ns')
    assert.ok(network > 2 * LINE_MS - 0.1 && network < 2 * LINE_MS + SLACK_MS, `${network} ms`)
    const text = (await run([])).stdout
    assert.match(text, new RegExp(`^The clock of cart is \\d+(\\.\\d)? ms to \\d+(\\.\\d)? ms ${aheadS > 0 ? 'ahead of' : 'behind'} that of shop\\.`, 'm'))
    assert.match(text, /^! so their bursts are not the same: set both clocks by NTP/m)
  })
}
