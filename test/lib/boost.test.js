'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { patternOf } = require('../../lib/boosting')
const { boost, readBoost } = require('../../lib/report/boost')
const { BOOST: STATS } = require('./report-kit')
const { styleOf } = require('../../lib/report/layout')
const { prometheus } = require('../../lib/report/metrics')

test('files of threads are read in order; what was cut off or is not ours is left out, and told', (t) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-boost-test-'))
  t.after(() => fs.rmSync(directory, { recursive: true }))
  fs.writeFileSync(path.join(directory, 'boost-7-1.json'), JSON.stringify(STATS))
  for (const name of ['7-0', '7-0.1', '7-0.x']) fs.writeFileSync(path.join(directory, `boost-${name}.json`), JSON.stringify(STATS))
  fs.writeFileSync(path.join(directory, 'boost-8-0.json'), '{"schema":1,')
  fs.writeFileSync(path.join(directory, 'other.json'), '{}')
  const strangers = ['{}', 'null', '[]', '5', ...['schema', 'policy', 'boosts', 'residency_ns', 'reasons', 'energy'].map((key) => JSON.stringify({ ...STATS, [key]: undefined }))]
  strangers.forEach((text, i) => fs.writeFileSync(path.join(directory, `boost-9-${i}.json`), text))
  fs.mkdirSync(path.join(directory, 'boost-10-0.json'))
  /** @type {string[]} */
  const told = []
  readBoost(directory, (warning) => told.push(warning))
  assert.equal(told.length, strangers.length + 2)
  assert.match(told[0], /^boost-10-0.json is left out: /)
  const threads = readBoost(directory)
  assert.deepEqual(threads.map(({ process, thread, run }) => [process, thread, run]), [[7, 0, 0], [7, 0, 1], [7, 1, 0]])
  assert.match(boost({ boost: threads }, styleOf({})), /^process 7, thread 0 +30 [^]+^process 7, thread 0, run 2 +30 [^]+^process 7, thread 0, run 2: 1\.50 inst/m)
})

test('the text says policy, share of the time, reasons, reaction, what kind of energy, and what collections are', () => {
  const text = boost({ boost: [{ process: 7, thread: 0, ...STATS }] }, styleOf({}))
  assert.match(text, /^boosting: gc,queue with emulated \(steals\)$/m)
  assert.match(text, /process 7, thread 0 +30 +10\.0 % +gc 600 ms, head 400 ms +gc 900 ns, head 40\.0 µs +1\.171 modelled/)
  assert.match(text, /^process 7, thread 0: 1\.50 instructions a cycle in 4 collections$/m)
  assert.doesNotMatch(text, /!/)
  const unknown = { ...STATS, gc_counters: { ipc: null, unavailable: 'a virtual machine' } }
  assert.doesNotMatch(boost({ boost: [{ process: 7, thread: 0, ...unknown }] }, styleOf({})), /a cycle/)
  assert.equal(boost({ boost: [] }, styleOf({})), '')
})

test('what went wrong is said', () => {
  const text = boost({ boost: [{ process: 7, thread: 0, ...STATS, set_errors: 3, last_error: 'CPU 1 is offline', dropped_signals: 5 }] }, styleOf({}))
  assert.match(text, /process 7: the frequency could not be changed 3 times: CPU 1 is offline/)
  assert.match(text, /process 7: 5 signals dropped/)
})

test('metrics: counters by reason and level; what is not known has no line', () => {
  const text = prometheus({ recording: false }, STATS)
  assert.match(text, /^edgewise_boosts_total\{reason="gc"\} 20$/m)
  assert.match(text, /^edgewise_boosted_seconds_total\{reason="head"\} 0\.4$/m)
  assert.match(text, /^edgewise_frequency_seconds_total\{level="high",khz="4000000"\} 1$/m)
  assert.match(text, /^edgewise_boost_energy_ratio\{kind="modelled"\} 1\.171$/m)
  assert.match(text, /^edgewise_gc_instructions_total 3000$/m)
  assert.doesNotMatch(text, /package_joules|dropped_records/)
  for (const line of text.trimEnd().split('\n')) assert.match(line, /^(# (HELP|TYPE) [a-z_]+ \S|[a-z_]+(\{[^}]*\})? [\d.e+-]+$)/)
})

test('metrics without boosting are those of recording alone', () => {
  const text = prometheus({ recording: true, dropped: 0, lostBytes: 0, writtenBytes: 42 }, null)
  assert.match(text, /^edgewise_recording 1$/m)
  assert.match(text, /^edgewise_written_bytes_total 42$/m)
  assert.doesNotMatch(text, /boost/)
})

test('a route of a report matches the paths of its requests, folded or not', () => {
  const todo = patternOf('POST /users/:user/todos/:id/complete')
  for (const path of ['POST /users/u1/todos/:id/complete', 'POST /users/:id/todos/7/complete']) assert.match(path, todo)
  for (const path of ['GET /users/u1/todos/7/complete', 'POST /users/u1/todos/7', 'POST /users/u1/todos/7/complete/now', 'POST /x/users/u1/todos/7/complete']) {
    assert.doesNotMatch(path, todo)
  }
  assert.match('GET /p/pad/', patternOf('GET /p/:pad/:rev?'))
  assert.match('GET /a.b', patternOf('GET /a.b'))
  assert.doesNotMatch('GET /aXb', patternOf('GET /a.b'))
  assert.match('GET /files/x/y', patternOf('GET /files/*'))
  assert.match('GET /some-page', patternOf('GET /^([^.]*)/'))
  assert.doesNotThrow(() => patternOf('GET /^([/'))
})

test('what no frequency changes is said', () => {
  const tail = { mean_latency_ns: 100e6, not_running: { preempted_ns: 0, throttled_ns: 60e6, fault_ns: 0, blocked_ns: 0 } }
  assert.match(boost({ boost: [{ process: 7, thread: 0, ...STATS }], tail }, styleOf({})), /60\.0 % of the tail's latency its thread did not run: no frequency changes that/)
  assert.doesNotMatch(boost({ boost: [{ process: 7, thread: 0, ...STATS }], tail: { mean_latency_ns: 100e6, not_running: null } }, styleOf({})), /did not run/)
})
