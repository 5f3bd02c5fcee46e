'use strict'

// Probes, as bpftrace sees them: each request once, with its route and its time;
// nobody listens when it has ended.

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { bpftrace } = require('../../lib/bpf/tracer')
const { addonOf, all, find, scriptFor } = require('../../lib/bpf/scripts')
const { blocks, read } = require('../docs/markdown')
const { refused } = require('./bpf')
const { edgewise, request, startApp } = require('./recorded-app')

const REQUESTS = 40
const WORK_MS = 20
const ATTACHES_WITHIN_MS = 30_000
/** The client has the answer before its server has told of it. */
const SETTLES_MS = 200

const skip = refused()

/** @param {number} pid @returns {Record<string, number>} listeners, by probe */
function semaphores (pid) {
  const addon = addonOf(pid)
  const notes = spawnSync('readelf', ['--notes', '--wide', addon], { encoding: 'utf8' }).stdout
  const maps = fs.readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').filter((line) => line.endsWith(addon))
  const first = maps.map((line) => /^([0-9a-f]+)-\S+ \S+ ([0-9a-f]+) /.exec(line) ?? []).find(([, , offset]) => Number(`0x${offset}`) === 0)
  const base = BigInt(`0x${first?.[1]}`)
  const memory = fs.openSync(`/proc/${pid}/mem`, 'r')
  const counted = Object.fromEntries(Array.from(notes.matchAll(/Name: (\w+)\s+Location: \S+ Base: \S+ Semaphore: (0x[0-9a-f]+)/g), ([, name, at]) => {
    const word = Buffer.alloc(2)
    fs.readSync(memory, word, 0, 2, base + BigInt(at))
    return [name, word.readUInt16LE()]
  }))
  fs.closeSync(memory)
  return counted
}

/**
 * Runs a script of bpftrace while `during` lasts.
 * @param {string} script
 * @param {number} pid
 * @param {(listeners: Record<string, number>) => Promise<void>} during
 * @returns {Promise<string>} what it printed
 */
async function watched (script, pid, during) {
  const [command, ...args] = bpftrace(['-p', String(pid), '-e', `${script}\ninterval:ms:100 { printf("attached\\n"); }`])
  const tracer = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let problems = ''
  tracer.stdout.setEncoding('utf8').on('data', (text) => { out += text })
  tracer.stderr.setEncoding('utf8').on('data', (text) => { problems += text })
  const ended = new Promise((resolve) => tracer.once('close', resolve))
  const deadline = Date.now() + ATTACHES_WITHIN_MS
  while (!out.includes('attached\n') && tracer.exitCode === null && Date.now() < deadline) await sleep(20)
  assert.ok(out.includes('attached\n'), `bpftrace did not begin: ${problems}`)
  await during(semaphores(pid))
  await sleep(SETTLES_MS)
  tracer.kill('SIGINT')
  await ended
  return out
}

/** @param {string} out @param {RegExp} pattern with a number @returns {number} the sum of all */
const summed = (out, pattern) => Array.from(out.matchAll(pattern), ([, number]) => Number(number)).reduce((sum, each) => sum + each, 0)

/** @param {any} app */
async function load (app) {
  for (let i = 0; i < REQUESTS; i++) await request(app.port, `/${i % 2 === 0 ? 'even' : 'odd'}`)
}

/** @param {any} t @param {Record<string, string>} [env] */
const started = (t, env = {}) => startApp(t, 'chained.js', { env: { WORK_MS: String(WORK_MS), ...env } })

test('each request is told once, with its route, its status and its time', { skip }, async (t) => {
  const app = await started(t)
  const script = scriptFor(`
    usdt:ADDON:edgewise:request__start { @starts = count(); @started[arg0] = nsecs; }
    usdt:ADDON:edgewise:request__done {
      @done[str(arg1), arg2, str(arg4)] = count();
      if ((int64)arg3 < ${WORK_MS}000000) { @short = count(); }
      if (nsecs - @started[arg0] < ${WORK_MS}000000) { @late = count(); }
    }
    END { clear(@started); }`, app.child.pid, addonOf(app.child.pid))
  await request(app.port, '/even')
  const out = await watched(script, app.child.pid, async (listeners) => {
    assert.equal(listeners.request__start, 1)
    assert.equal(listeners.request__done, 1)
    assert.equal(listeners.event__begin, 0, 'nobody has asked for it')
    await load(app)
  })
  assert.equal(summed(out, /@starts: (\d+)/g), REQUESTS, out)
  assert.equal(summed(out, /@done\[GET \/(?:even|odd), 200, finished\]: (\d+)/g), REQUESTS, out)
  assert.doesNotMatch(out, /@(short|late): [1-9]/, 'each has worked before it was done, and had started before')
  assert.deepEqual(Object.values(semaphores(app.child.pid)).filter((count) => count !== 0), [], 'nobody listens any more')
  await load(app)
  await app.stop()
})

test('events begin and end alternately, and take what they take', { skip }, async (t) => {
  const app = await started(t)
  const script = scriptFor(`
    usdt:ADDON:edgewise:event__begin { if (@open[tid] != 0) { @nested = count(); } @open[tid] = arg0; @begins = count(); }
    usdt:ADDON:edgewise:event__end {
      if (@open[tid] != 0 && @open[tid] != arg0) { @other = count(); }
      @open[tid] = 0;
      if (str(arg1) == "tcp_read" && arg2 >= ${WORK_MS}000000) { @long = count(); }
    }
    END { clear(@open); }`, app.child.pid, addonOf(app.child.pid))
  const out = await watched(script, app.child.pid, () => load(app))
  assert.equal(summed(out, /@long: (\d+)/g), REQUESTS, out)
  assert.doesNotMatch(out, /@(nested|other): [1-9]/)
  await app.stop()
})

test('collections, stalls and boosts have theirs', { skip }, async (t) => {
  const app = await startApp(t, 'stalls.js', { env: { EDGEWISE_STALL_MS: '50', EDGEWISE_BOOST: 'queue', EDGEWISE_BOOST_ACTUATOR: 'none' } })
  const script = scriptFor(`
    usdt:ADDON:edgewise:gc__begin { @begins = count(); }
    usdt:ADDON:edgewise:gc__end { @ends = count(); }
    usdt:ADDON:edgewise:stall { @stalls = count(); if (arg1 < 50000000) { @early = count(); } }`, app.child.pid, addonOf(app.child.pid))
  const out = await watched(script, app.child.pid, async () => {
    await request(app.port, '/spin/1')
    await request(app.port, '/spin/2')
    await sleep(200)
  })
  assert.ok(summed(out, /@stalls: (\d+)/g) >= 2, out)
  assert.equal(summed(out, /@begins: (\d+)/g), summed(out, /@ends: (\d+)/g), out)
  assert.doesNotMatch(out, /@early: [1-9]/)
  await app.stop()
})

test('what docs/usdt.md shows runs', { skip }, async (t) => {
  const app = await started(t)
  const shown = blocks(read('docs/usdt.md')).filter(({ language }) => language === 'bpftrace')
  assert.ok(shown.length >= 4)
  for (const { text, line } of shown) {
    await t.test(`docs/usdt.md:${line}`, async () => {
      const out = await watched(scriptFor(text, app.child.pid, addonOf(app.child.pid)), app.child.pid, () => load(app))
      if (text.includes('@requests')) assert.equal(summed(out, /@requests\[GET \/\w+, 200\]: (\d+)/g), REQUESTS, out)
      else assert.doesNotMatch(out, /^ERROR/m)
    })
  }
  await app.stop()
})

test('each ready script runs, and tells what happens', { skip }, async (t) => {
  const app = await started(t)
  /** @type {Record<string, RegExp>} */
  const tells = {
    latency: /@latency_us\[GET \/even\]:/,
    events: new RegExp(`@ran_us\\[tcp_read\\]: count ${REQUESTS}`),
    'off-cpu': /@preempted_us\[GET \/even\]: count 20/,
    queue: /@waited_us\[tcp_read\]:/
  }
  for (const { name } of all()) {
    await t.test(name, async () => {
      const out = await watched(scriptFor(String(find(name)), app.child.pid, addonOf(app.child.pid)), app.child.pid, () => load(app))
      if (name in tells) assert.match(out, tells[name])
    })
  }
  const { status, stdout } = await edgewise(['bpf', 'latency', String(app.child.pid), '--seconds', '0.5'])
  assert.equal(status, 0)
  assert.match(stdout, /^Attaching 2 probes/)
  await app.stop()
})

test('perf and bpftrace get the names of functions', async (t) => {
  const app = await started(t)
  await load(app)
  const map = `/tmp/perf-${app.child.pid}.map`
  t.after(() => fs.rmSync(map, { force: true }))
  const on = await edgewise(['perf-map', String(app.child.pid), 'on'])
  assert.match(on.stdout, new RegExp(`^process ${app.child.pid}: ${map} has \\d+ functions`), on.stderr)
  const again = await edgewise(['perf-map', String(app.child.pid), 'on'])
  assert.equal(again.status, 1)
  assert.match(again.stderr, /it is on already/)
  assert.equal(fs.statSync(map).mode & 0o777, 0o600)
  const lines = fs.readFileSync(map, 'utf8').trim().split('\n')
  for (const line of lines) assert.match(line, /^[0-9a-f]+ [0-9a-f]+ \S/)
  assert.ok(lines.some((line) => line.includes(path.basename('chained.js'))), 'the application is in it')
  await load(app)
  const off = await edgewise(['perf-map', String(app.child.pid), 'off'])
  assert.equal(off.status, 0, off.stderr)
  assert.ok(fs.existsSync(map))
  await app.stop()
})
