'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { render } = require('../../lib/across/render')

const MS = 1e6
const recording = (/** @type {string} */ service, /** @type {any} */ bursts = null) =>
  ({ service, directory: service, called: false, calls: 0, joined: 1, by_traceparent: 0, report: { requests: { count: 1 }, bursts } })
const told = (/** @type {any} */ clocks, /** @type {any} */ bursts = null) =>
  render({ services: [recording('shop', bursts), recording('cart', bursts)], calls: [], clocks: [{ from: 'shop', to: 'cart', ...clocks }], slowest: [], truncated: false })

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
