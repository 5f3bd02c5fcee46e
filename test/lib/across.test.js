'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { render } = require('../../lib/across/render')

const MS = 1e6
const recording = (/** @type {string} */ service, /** @type {any} */ bursts = null) =>
  ({ service, directory: service, called: false, calls: 0, joined: 1, by: { connection: 1, traceparent: 0, 'x-request-id': 0, bytes: 0 }, undecided: 0, report: { requests: { count: 1 }, bursts } })
const told = (/** @type {any} */ clocks, /** @type {any} */ bursts = null) =>
  render({ services: [recording('shop', bursts), recording('cart', bursts)], calls: [], clocks: [{ from: 'shop', to: 'cart', minutes: [clocks], ...clocks }], slowest: [], truncated: false })

test('a clock that is ahead, or behind, is told', () => {
  assert.match(told({ ahead_least_ns: 48 * MS, ahead_most_ns: 51 * MS }), /^The clock of cart is 48\.0 ms to 51\.0 ms ahead of that of shop\. No time above depends on it\.$/m)
  assert.match(told({ ahead_least_ns: -51 * MS, ahead_most_ns: -48 * MS }), /^The clock of cart is 48\.0 ms to 51\.0 ms behind that of shop\./m)
})

test('clocks that may be the same are not', () => {
  for (const [least, most] of [[-4 * MS, 6 * MS], [0.9 * MS, 5 * MS], [-5 * MS, -0.9 * MS]]) {
    assert.doesNotMatch(told({ ahead_least_ns: least, ahead_most_ns: most }), /clock/)
  }
})

test('bursts that a clock has moved are no longer the same', () => {
  const ahead = { ahead_least_ns: 48 * MS, ahead_most_ns: 51 * MS }
  assert.match(told(ahead, { config: 96, duration_ns: 32 * MS }), /^! so their bursts are not the same: set both clocks by NTP/m)
  assert.doesNotMatch(told(ahead, { config: 96, duration_ns: 1024 * MS }), /not the same/)
})

test('a clock that was set is told', () => {
  assert.match(told({ ahead_least_ns: null, ahead_most_ns: null }), /^A clock of shop or of cart was set while they were recorded\.$/m)
})

test('clocks that drift are told as they were at first and at last', () => {
  const minutes = [{ ahead_least_ns: 48 * MS, ahead_most_ns: 51 * MS }, { ahead_least_ns: 80 * MS, ahead_most_ns: 84 * MS }]
  assert.match(told({ ahead_least_ns: null, ahead_most_ns: null, minutes }),
    /^The clocks of shop and cart drift: that of cart was at first 48\.0 ms to 51\.0 ms ahead of that of shop, at last 80\.0 ms to 84\.0 ms ahead of it\. No time above depends on it\.$/m)
})

test('how calls were joined is told where their connection does not tell', () => {
  const shop = { ...recording('shop'), calls: 9, joined: 7, by: { connection: 2, traceparent: 0, 'x-request-id': 1, bytes: 4 }, undecided: 2 }
  assert.match(render({ services: [shop], calls: [], clocks: [], slowest: [], truncated: false }),
    / 7 of 9, 1 by x-request-id, 4 inferred by their bytes, 2 may be one of several /)
})
