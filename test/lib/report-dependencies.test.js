'use strict'

// What a report says of what requests have waited for.

const assert = require('node:assert/strict')
const test = require('node:test')
const { render } = require('../../lib/report')
const { FIXTURE, firstLine, group, minimal, report } = require('./report-kit')

/** @typedef {Record<string, any>} Json */

/** @param {string} what @param {number} ns @param {Json} [more] */
const dependency = (what, ns, more = {}) => ({ what, kind: 'redis', peer: '10.0.0.7:6379', io_ns: ns, share: 0.9, calls: 30, requests: 10, in_turn: 30, most_in_turn: 4, side_by_side: 0, ...more })
const asked = (/** @type {Json[]} */ dependencies) => minimal(group(42e6, { io: 40e6 }), group(2e6), { dependencies })

test('the sentence names whom the I/O was for, and how often in turn', () => {
  assert.match(firstLine(asked([dependency('redis 10.0.0.7:6379', 9e8), dependency('timer', 1e7)])), /: 40 ms I\/O \(99 % redis 10\.0\.0\.7:6379, 3 waits in turn\) more/)
  assert.match(firstLine(asked([dependency('file', 6e8, { in_turn: 10 }), dependency('dns', 4e8, { in_turn: 10 })])), /: 40 ms I\/O \(60 % file; 40 % dns\) more/)
  assert.match(firstLine(asked([])), /: 40 ms I\/O more/)
})

test('what waited for a thread of the pool is told', () => {
  const hashing = (/** @type {number} */ queue, threads = 4) => dependency('thread pool', 1e9, { in_turn: 10, pool: { threads, queue_ns: queue, work_ns: 1e9 - queue, unknown_ns: 0 } })
  assert.match(firstLine(asked([hashing(7.5e8)])), /\(100 % thread pool, of it 75 % waiting for one of 4 pool threads\) more/)
  assert.match(firstLine(asked([hashing(7.5e8, 1)])), /waiting for the only pool thread\)/)
  assert.match(firstLine(asked([hashing(5e7)])), /\(100 % thread pool\) more/)
  assert.match(render(asked([hashing(7.5e8)])), /^thread pool: 750 ms of it waiting for one of 4 pool threads \(UV_THREADPOOL_SIZE\), 250 ms at work there\.$/m)
  assert.doesNotMatch(render(asked([hashing(1e7)])), /UV_THREADPOOL_SIZE/)
})

test('less I/O is told without the names of what there is less of', () => {
  const json = minimal(group(42e6, { queue: 40e6 }), group(20e6, { io: 15e6 }), { dependencies: [dependency('file', 1e6)] })
  assert.match(firstLine(json), /but 15 ms less I\/O\./)
})

test('dependencies: a row each; what is not counted is left empty', () => {
  const many = Array.from({ length: 14 }, (_, i) => dependency(`tcp 10.0.0.${i}:80`, 1e6))
  const text = render(asked([dependency('timer', 5e6, { calls: null, side_by_side: null }), ...many]))
  assert.match(text, /^what the tail waited for +in total +share +requests +calls +in turn +most in one +side by side$/m)
  assert.match(text, /^timer +5\.00 ms +90\.0 % +10 of 10 +30 +4$/m)
  assert.match(text, /^tcp 10\.0\.0\.0:80 +1\.00 ms +90\.0 % +10 of 10 +30 +30 +4 +0$/m)
  assert.match(text, /^\.\.\. and 3 more dependencies: --json lists all$/m)
})

test('a step tells what was asked, or of whom', () => {
  const step = { type: 'tcp_read', io_ns: 1e6, queue_ns: 0, exec_ns: 0, gc_ns: 0 }
  const path = [{ ...step, call: 'redis GET', dependency: 'redis 10.0.0.7:6379' }, { ...step, call: null, dependency: 'tcp [::1]:80' }, { ...step, type: 'thread_pool', call: null, dependency: 'thread pool' }]
  const text = render(report({ slowest: [{ ...FIXTURE.slowest[0], latency_ns: 3e6, path }] }))
  assert.match(text, /^ +redis GET +·/m)
  assert.match(text, /^ +tcp_read tcp \[::1\]:80 +·/m)
  assert.match(text, /^ +thread_pool +·/m)
})
