'use strict'

// The recorder on the patched Node: found, switched, and honest about losses.

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { loadReporter } = require('../../lib/native/binding')
const { CHECKS, LIMIT_MS, patchedNode } = require('./patched-node')

const REGISTER = path.join(__dirname, '../../lib/register.js')
const EXPLAINED = path.join(__dirname, 'programs/recorded.js')

/**
 * @param {any} t
 * @param {string} what a part of programs/recorded.js
 * @param {NodeJS.ProcessEnv} [env]
 */
function record (t, what, env = {}) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-patched-'))
  t.after(() => fs.rmSync(out, { recursive: true, force: true }))
  const kept = Object.entries(process.env).filter(([name]) => !/^(EDGEWISE_|NODE_)/.test(name))
  const { status, signal, stderr } = spawnSync(patchedNode(), [...CHECKS, '--require', REGISTER, EXPLAINED, what],
    { encoding: 'utf8', timeout: LIMIT_MS, env: { ...Object.fromEntries(kept), EDGEWISE_OUT: out, ...env } })
  assert.deepStrictEqual([status, signal], [0, null], stderr)
  return { stderr, report: () => JSON.parse(loadReporter().report(out, {})) }
}

test('it is found; every time is a number, and they sum up', (t) => {
  const { stderr, report } = record(t, 'compute')
  assert.strictEqual(stderr, '')
  const { provider, causality, tail, rest, requests, gc, problems } = report()
  assert.deepStrictEqual([provider, causality, problems], ['patched', 'native', []])
  assert.strictEqual(requests.count, 40)
  for (const group of [tail, rest]) {
    const { gc_ns: gc, jit_ns: jit, ic_ns: ic, native_ns: native } = group.exec
    for (const part of [gc, jit, ic, native]) assert.ok(Number.isInteger(part) && part >= 0, JSON.stringify(group))
    const sum = gc + jit + ic + native
    assert.ok(Math.abs(sum - group.exec_ns) <= 4, `${sum} of ${group.exec_ns}`)
  }
  assert.ok(tail.exec.jit_ns + rest.exec.jit_ns > 0 && tail.exec.ic_ns + rest.exec.ic_ns > 0)
  assert.ok(gc.count > 0)
})

test('the thread pool says when it has finished', (t) => {
  const { report } = record(t, 'files')
  const { ready_kinds: kinds } = report()
  assert.ok(kinds.completed > 0, JSON.stringify(kinds))
})

test('on and off in the middle of compilation; functions of one recording lead nowhere in the next', (t) => {
  const { stderr, report } = record(t, 'switching')
  assert.strictEqual(stderr, '')
  const { requests, events, problems } = report()
  assert.deepStrictEqual([requests.lost, events.dropped, problems], [0, 0, []])
})

test('worker threads are tracked and let go one by one', (t) => {
  const { stderr, report } = record(t, 'workers')
  assert.strictEqual(stderr, '')
  const { threads, requests, provider } = report()
  assert.deepStrictEqual([provider, threads, requests.count], ['patched', 9, 8])
})

test('ticks in great number, whose announcement is compiled', (t) => {
  assert.strictEqual(record(t, 'ticks').stderr, '')
})

test('what does not fit into V8\'s ring is a loss', (t) => {
  const { stderr, report } = record(t, 'flood', { EDGEWISE_RING_RECORDS: '1048576' })
  assert.match(stderr, /^edgewise: lost \d+ records/)
  const { events, problems, requests } = report()
  assert.ok(events.dropped > 0)
  assert.deepStrictEqual([problems, requests.count], [[], 2])
})

test('EDGEWISE_CAUSALITY has no effect, and says so once', (t) => {
  const { stderr, report } = record(t, 'workers', { EDGEWISE_CAUSALITY: 'events' })
  assert.match(stderr, /^edgewise: EDGEWISE_CAUSALITY has no effect: .*\n$/)
  assert.strictEqual(report().causality, 'native')
})
