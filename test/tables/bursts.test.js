'use strict'

// Stacks in bursts: two processes that know nothing of each other have the same
// ones, and what else is recorded is recorded all the time.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { inParallel, report, request, startApp } = require('../e2e/recorded-app')
const { engines } = require('./engines')

const DURATION_MS = 64
const PERIOD_MS = 256
const REQUESTS = 150
/** A sample is told by when it was asked for; the clocks of a trace are read within so much. */
const EDGE_MS = 1
const DUTY = DURATION_MS / PERIOD_MS

test('stacks are recorded in bursts, in all processes the same', async (t) => {
  const found = await engines(t)
  if (!found) return
  const env = { EDGEWISE_STACKS: '1000', EDGEWISE_BURST: `${DURATION_MS}/${PERIOD_MS}`, WORK_MS: '15' }
  const apps = [await startApp(t, 'chained.js', { env }), await startApp(t, 'chained.js', { env })]
  await Promise.all(apps.map(({ port }) => inParallel(REQUESTS, () => request(port, '/'), 2)))
  for (const app of apps) await app.stop()
  const ask = (/** @type {string[]} */ directories, /** @type {string} */ sql) => {
    const { status, stdout, stderr } = found.edgewise(['query', ...directories, sql, '--json'])
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout).map((/** @type {Record<string, any>} */ row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Number(value)])))
  }
  /** @type {Set<number>[]} */
  const bursts = []
  for (const { out } of apps) {
    const samples = ask([out], 'SELECT (s.start_ns - m.start_ns + m.unix_ns) // 1000000 AS at FROM stacks s JOIN meta m ON s.trace = m.trace WHERE s.first')
    assert.ok(samples.length > 50, `${samples.length} samples`)
    // The last of each period, as their bits are set. A part of an event that another
    // process has cut off is told at the cut, which may lie before the burst.
    const isInside = (/** @type {{ at: number }} */ { at }) => (at + EDGE_MS) % PERIOD_MS >= PERIOD_MS - DURATION_MS || at % PERIOD_MS <= EDGE_MS
    const within = samples.filter(isInside).length
    assert.ok(within >= samples.length * 0.8, `${within} of ${samples.length} samples lie in bursts`)
    for (const { at } of samples.filter((/** @type {{ at: number }} */ each) => !isInside(each))) assert.ok(at % PERIOD_MS >= PERIOD_MS - DURATION_MS - 100, `${at % PERIOD_MS} ms into a period: long before any`)
    bursts.push(new Set(samples.map((/** @type {{ at: number }} */ { at }) => Math.floor(at / PERIOD_MS))))
    const [{ inside, all }] = ask([out], `SELECT count(*) AS all, count(*) FILTER (WHERE (e.start_ns - m.start_ns + m.unix_ns) // 1000000 % ${PERIOD_MS} >= ${PERIOD_MS - DURATION_MS}) AS inside
      FROM events e JOIN meta m ON e.trace = m.trace`)
    assert.ok(Math.abs(inside / all - DUTY) < DUTY / 2, `${inside} of ${all} events lie in bursts`)
    const { bursts: told } = report(out)
    assert.equal(told.config, PERIOD_MS - DURATION_MS)
    assert.equal(told.duration_ns, DURATION_MS * 1e6)
    assert.equal(told.tail.requests + told.rest.requests, REQUESTS)
    assert.ok(told.rest.within > 0 && told.rest.within < told.rest.requests * 2 * DUTY, JSON.stringify(told))
  }
  const shared = [...bursts[0]].filter((burst) => bursts[1].has(burst))
  assert.ok(shared.length >= 0.8 * Math.min(bursts[0].size, bursts[1].size), 'both were busy in the same bursts')

  const { status, stdout, stderr } = found.edgewise(['burst', 'find', ...apps.map(({ out }) => out), 'latency_ns > ms(10)', '--json'])
  assert.equal(status, 0, stderr)
  const rows = JSON.parse(stdout)
  assert.ok(rows.length > 0)
  for (const { burst, ms, slowest_ms: slowest } of rows) {
    assert.equal(Number(ms), DURATION_MS)
    assert.equal(new Date(`${burst}Z`).getTime() % PERIOD_MS, PERIOD_MS - DURATION_MS, burst)
    assert.ok(slowest > 10 && slowest < DURATION_MS)
  }
  const none = found.edgewise(['burst', 'find', apps[0].out])
  assert.equal(none.status, 2)
  assert.match(none.stderr, /which recording, or which predicate\?/)
})

test('bursts that are short for the latency are told', async (t) => {
  const app = await startApp(t, 'chained.js', { env: { EDGEWISE_STACKS: '1000', EDGEWISE_BURST: '16/32', WORK_MS: '15' } })
  await inParallel(40, () => request(app.port, '/'), 2)
  await app.stop()
  const { render } = require('../../lib/report')
  assert.match(render(require('../../lib').report(app.out)), /Stacks were recorded in bursts of 16\.0 ms: of .* They are shorter than 4 times the p99 of/)
})
