'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { render } = require('../../lib/report')
const { renderChecks } = require('../../lib/report/checks')
const { count, difference, percent, size, time } = require('../../lib/report/units')

const { FIXTURE, firstLine, group, minimal, report } = require('./report-kit')

/** @typedef {Record<string, any>} Json */

/** @param {string} what @param {number} ns @param {Json} [more] */
const blocker = (what, ns, more = {}) => ({ what: `${what} tcp_read`, kind: 'request', route: what, type: 'tcp_read', queue_ns: ns, share: 0.5, requests: 1, ...more })

test('units: three digits, the largest unit above 1', () => {
  /** @type {[any, string][]} */
  const cases = [[0, '0'], [1, '1.00 ns'], [999, '999 ns'], [1000, '1.00 µs'], [1234, '1.23 µs'], [12345, '12.3 µs'], [999_499, '999 µs'],
    [999_500, '1.00 ms'], [9_996_000, '10.0 ms'], [99_960_000, '100 ms'], [9_999.6e9, '10,000 s'], [41_000_000, '41.0 ms'], [1.5e9, '1.50 s'], [75.26e9, '75.3 s'], [123456e9, '123,456 s'], [-2500, '-2.50 µs'],
    [null, 'unavailable'], [undefined, 'unavailable'], [NaN, 'unavailable'], [0.25, '0.25 ns']]
  for (const [ns, text] of cases) assert.equal(time(ns), text, String(ns))
  assert.equal(time(41.3e6, 2), '41 ms')
  assert.equal(time(996e3, 2), '1.0 ms')
  assert.deepEqual([1e6, -1e6, 0, null].map((ns) => difference(ns)), ['+1.00 ms', '-1.00 ms', '0', 'unavailable'])
  assert.deepEqual([0, 0.0001, 0.1234, 0.9999, 1, null].map((share) => percent(share)), ['0 %', '<0.1 %', '12.3 %', '100 %', '100 %', 'unavailable'])
  assert.deepEqual([0, 1, 1023, 1536, 3 << 20].map((bytes) => size(bytes)), ['0 bytes', '1 byte', '1,023 bytes', '1.5 KiB', '3.0 MiB'])
  assert.deepEqual([0, 1234567, null].map((n) => count(n)), ['0', '1,234,567', 'unavailable'])
})

test('of several event loops the busiest is told: idle workers hide nothing', () => {
  const busiest = { process: 4711, thread: 0, busy_ns: 21147000000, span_ns: 30210000000, utilisation: 0.7 }
  const workers = { ...FIXTURE, threads: 3, loop: { busy_ns: 21150000000, span_ns: 90630000000, utilisation: 0.233, busiest } }
  assert.match(render(workers), /, 3 threads, busiest event loop busy 70\.0 %, /)
})

test('the whole report, to the letter', () => {
  assert.equal(render(FIXTURE), `\
p99 requests are 42 ms slower than the median (58 ms against 16 ms): 22 ms queued (75 % behind POST /todo, 22 % behind timer events of no request), \
12 ms GC, 5.1 ms own execution, 2.1 ms I/O more than in the others.
12,345 requests, 234,567 events, 30.2 s, 1 process, 1 thread, event loop busy 70.0 %, 300 GCs in 900 ms

            mean      p50      p90      p99    p99.9     max
latency  17.3 ms  16.1 ms  24.0 ms  52.0 ms  80.0 ms  120 ms

mean of a request                   tail, p99         rest  difference
requests                                  124       12,221
  slowest from                        52.0 ms
latency                               58.2 ms      16.9 ms    +41.3 ms
  I/O                                 9.10 ms      7.00 ms    +2.10 ms
  queueing                            36.1 ms      3.90 ms    +32.2 ms
    behind GC                         10.2 ms       100 µs    +10.1 ms
    behind JIT                    unavailable  unavailable
    behind IC                     unavailable  unavailable
    behind JavaScript and native      25.0 ms      3.70 ms    +21.3 ms
    between callbacks                  900 µs       100 µs     +800 µs
      waking up                        600 µs      50.0 µs     +550 µs
  execution                           13.0 ms      6.00 ms    +7.00 ms
    GC                                2.10 ms       200 µs    +1.90 ms
    JIT                           unavailable  unavailable
    IC                            unavailable  unavailable
    JavaScript and native             10.9 ms      5.80 ms    +5.10 ms
The tail's queueing by whose events ran: 21.0 ms behind other requests, 500 µs behind the request's own events, 3.50 ms behind events of no request.
Collections inside its own execution, in total: scavenge 260 ms in 98 requests.

route       requests      p50      p99      max  its tail      I/O  queueing  execution       GC
POST /todo     4,000  18.0 ms  60.0 ms   120 ms   66.0 ms  9.00 ms   40.0 ms    17.0 ms  12.0 ms
GET /todo      8,345  15.0 ms  48.0 ms  88.0 ms   54.0 ms  9.00 ms   34.0 ms    11.0 ms  12.5 ms

what the tail queued behind  kind     in total   share  requests hit
POST /todo fs_read           request    1.50 s  33.5 %     90 of 124
GC mark_sweep_compact        gc         1.26 s  28.2 %     60 of 124
POST /todo tcp_read          request    900 ms  20.1 %    101 of 124
(no request) timer           event      700 ms  15.6 %     44 of 124
(between callbacks)          loop       112 ms   2.5 %    124 of 124

Slowest requests: what each waited for, step by step
bars: · I/O  ░ queueing  █ execution
1. POST /todo  120 ms  request 8123, process 4711, status 200
                                                   I/O    queue     exec       GC  ready        behind
   tcp_read          ░░░░░░░░░░░░██                     60.0 ms  10.0 ms  1.00 ms  observed     POST /todo fs_read 41.0 ms, GC mark_sweep_compact 19.0 ms
   fs_read                         ··░░░░███   9.00 ms  21.0 ms  15.0 ms  10.0 ms  upper-bound  (no request) timer 21.0 ms
   write (inferred)                         █                    5.00 ms           none

Ready times: 85.3 % observed (seen as it happened); 8.5 % resolved (the promise was resolved); 4.3 % upper-bound (ready then or before: some of its I/O may be queueing); 1.9 % due (a timer's due time, an immediate's registration).
JIT and IC times are unavailable with this provider; they are part of JavaScript and native.
Observed ready times are the kernel's for what comes over TCP; others are late by up to 100 µs (EDGEWISE_WATCHER_US).
Known less than exactly: cause shared (tcp_read, pipe_read); ready upper-bound (write); begin per pass (timer).
Recorded with provider stock, causality promises, mode stream, node v20.20.2, command app.js.
`)
})

test('first sentence: queueing behind one route', () => {
  const json = minimal(group(42e6, { queue: 30e6 }), group(2e6), { blockers: [blocker('POST /todo', 2.9e8), blocker('GET /x', 1e7)] })
  assert.equal(firstLine(json),
    'p99 requests are 40 ms slower than the median (42 ms against 2.0 ms): 30 ms queued behind POST /todo, 10 ms own execution more than in the others.')
})

test('first sentence: the function that has most of what was queued behind, and of what was run', () => {
  const of = (name, line, wait, exec) => ({ function: name, script: '/srv/app/src/changeset.ts', line, column: 7, package: null, tail_wait_ns: wait, tail_exec_ns: exec })
  const cause = (what, type, functions) => ({
    what: `${what} ${type}`, kind: 'request', type, route: what, functions, tail_wait_ns: functions.reduce((sum, each) => sum + each.tail_wait_ns, 0), tail_exec_ns: functions.reduce((sum, each) => sum + each.tail_exec_ns, 0)
  })
  const stacks = {
    causes: [
      cause('POST /todo', 'tcp_read', [of('compose', 412, 4e6, 0), of('parse', 3, 3e6, 0)]),
      cause('POST /todo', 'timer', [of('compose', 414, 2e6, 0), of('', 9, 1e6, 0)]),
      cause('GET /x', 'tcp_read', [of('render', 30, 9e9, 1e6), of('', 31, 0, 3e6)])
    ]
  }
  const json = (blockers) => minimal(group(42e6, { queue: 30e6 }), group(2e6), { blockers, stacks })
  assert.equal(firstLine(json([blocker('POST /todo', 2.9e8), blocker('GET /x', 1e7)])),
    'p99 requests are 40 ms slower than the median (42 ms against 2.0 ms): 30 ms queued behind POST /todo (60 % of it in compose, src/changeset.ts:412), ' +
    '10 ms own execution (75 % of it in a function without a name, src/changeset.ts:31) more than in the others.')
  assert.match(firstLine(json([blocker('POST /todo', 2e8), blocker('GET /x', 1e8)])),
    /30 ms queued \(67 % behind POST \/todo, 60 % of it in compose, src\/changeset\.ts:412; 33 % behind GET \/x\), /)
})

test('first sentence: several callbacks of a route count together; GC is not a blocker but GC', () => {
  const json = minimal(group(42e6, { queue: 40e6, queueGc: 10e6 }), group(2e6), {
    blockers: [blocker('GET /a', 1.5e8), { what: 'GC scavenge', kind: 'gc', type: 'scavenge', queue_ns: 1e8, share: 0.25 }, blocker('GET /b', 1e8),
      blocker('GET /a', 0.5e8, { what: 'GET /a timer', type: 'timer' })]
  })
  assert.equal(firstLine(json),
    'p99 requests are 40 ms slower than the median (42 ms against 2.0 ms): 30 ms queued (67 % behind GET /a, 33 % behind GET /b), 10 ms GC more than in the others.')
})

test('first sentence: no blocker stands out, none is known, the loop', () => {
  const many = Array.from({ length: 20 }, (_, i) => blocker(`GET /${i}`, 1e6))
  assert.match(firstLine(minimal(group(42e6, { queue: 40e6 }), group(2e6), { blockers: many })), /: 40 ms queued behind 20 different callbacks more/)
  assert.match(firstLine(minimal(group(42e6, { queue: 40e6 }), group(2e6))), /: 40 ms queued more/)
  const loop = [{ what: '(between callbacks)', kind: 'loop', queue_ns: 1e8, share: 1, requests: 10 }]
  assert.match(firstLine(minimal(group(42e6, { queue: 40e6 }), group(2e6), { blockers: loop })), /: 40 ms queued behind the loop between callbacks more/)
  const wake = [{ what: '(waking up)', kind: 'wake', queue_ns: 1e8, share: 1, requests: 10 }]
  const late = minimal(group(42e6, { queue: 40e6 }), group(2e6), { blockers: wake })
  assert.match(firstLine(late), /: 40 ms queued behind the loop waking up more/)
  assert.match(render(late), /\nWaking up: the loop slept when something became ready, and ran that much later\. Other threads/)
})

test('first sentence: small parts are left out, what shrank is said', () => {
  const json = minimal(group(42e6, { io: 41e6 }), group(12e6, { queue: 11e6 }))
  assert.equal(firstLine(json), 'p99 requests are 30 ms slower than the median (42 ms against 12 ms): 41 ms I/O more than in the others, but 11 ms less queueing.')
})

test('first sentence: JIT and inline caches where they were observed', () => {
  const tail = group(42e6)
  Object.assign(tail.exec, { jit_ns: 20e6, ic_ns: 10e6 })
  const rest = group(2e6)
  Object.assign(rest.exec, { jit_ns: 0, ic_ns: 0 })
  const text = render(minimal(tail, rest))
  assert.match(text, /: 20 ms JIT compilation, 10 ms own execution, 10 ms inline-cache misses more than in the others/)
  assert.match(text, /^ {4}JIT +20\.0 ms +0 +\+20\.0 ms$/m)
  assert.doesNotMatch(text, /unavailable with this provider/)
})

test('first sentence: no request, one request, no rest, no tail', () => {
  const none = { schema: 1, requests: { count: 0, lost: 2, aborted: 3, unfinished: 0 }, events: { count: 9, dropped: 0 }, tail: { percentile: 99, threshold_ns: null, ...empty() }, rest: empty(), latency_ns: { mean: null, p50: null, max: null } }
  assert.equal(firstLine(none), 'No finished request was recorded (3 aborted, 2 lost): send requests to the server while it records, or name them with edgewise.request().')
  assert.doesNotMatch(render(none), /NaN|undefined|null/)
  const skipped = { ...none, requests: { ...none.requests, skipped: 1600 } }
  assert.equal(firstLine(skipped), 'No finished request is left (3 aborted, 2 lost): 1,600 began in the first seconds, which --skip leaves out; skip less, or record longer.')
  const one = minimal({ ...group(5e6, { io: 4e6 }), count: 1 }, empty(), { requests: { count: 1 } })
  assert.equal(firstLine(one), 'The only request took 5.0 ms: 4.0 ms I/O, 1.0 ms own execution; a tail needs more requests.')
  const same = minimal({ ...group(5e6), count: 4 }, empty(), { requests: { count: 4 } })
  assert.equal(firstLine(same), 'All 4 requests are as slow as the tail, 5.0 ms: 5.0 ms own execution.')
  for (const json of [one, same]) assert.doesNotMatch(render(json), /NaN|undefined|null/)
  const flat = minimal(group(2.05e6, { io: 1e6 }), group(2e6, { io: 1e6 }))
  assert.equal(firstLine(flat), 'There is hardly a tail: p99 requests take 2.0 ms, the median is 2.0 ms; theirs are 1.1 ms own execution, 1.0 ms I/O.')
})

function empty () {
  const exec = { gc_ns: null, jit_ns: null, ic_ns: null, native_ns: null }
  return { count: 0, mean_latency_ns: null, io_ns: null, queue_ns: null, exec_ns: null, exec, queue: { ...exec, loop_ns: null, wake_ns: null, own_ns: null, other_requests_ns: null, unowned_ns: null } }
}

test('losses are always said, before any table', () => {
  const lines = render(report({
    requests: { count: 5, lost: 1, aborted: 2, failed: 3, unfinished: 4 },
    events: { count: 50, dropped: 12, lost_bytes: 4096 },
    problems: [{ file: '12-0.ewt', offset: 65536, what: 'checksum of a chunk is wrong', bytes: 2048 }],
    warnings: ['a warning']
  })).split('\n')
  assert.deepEqual(lines.slice(2, 11), [
    '! 12 records dropped because a buffer was full (EDGEWISE_RING_RECORDS): requests around them are incomplete',
    '! 4.0 KiB of events could not be written (disk full, or EDGEWISE_MAX_MB reached)',
    '! 1 request lost: recorded in part only, not in the numbers below',
    '! 4 requests unfinished when the recording ended, not in the numbers below',
    '! 2 requests aborted by the client, not in the numbers below',
    '! 3 requests failed: the function given to edgewise.request() threw',
    '! 12-0.ewt at byte 65,536: checksum of a chunk is wrong (2.0 KiB skipped)',
    '! a warning',
    ''
  ])
  const many = Array.from({ length: 25 }, (_, i) => ({ file: 'f', offset: i, what: 'bad', bytes: 0 }))
  assert.match(render(report({ problems: many })), /^! f at byte 9: bad\n! and 15 more problems: --json lists all\n\n/m)
})

test('names from a trace cannot drive the terminal', () => {
  const evil = 'GET /\x1b[2J\x07\r\n‮x\u0085'
  const text = render(report({ routes: [{ ...FIXTURE.routes[0], route: evil }], warnings: [evil], slowest: [{ ...FIXTURE.slowest[0], route: evil }] }), { color: false })
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f‮]/)
  assert.ok(text.includes('GET /\\u{1b}[2J\\u{7}\\u{d}\\u{a}\\u{202e}x\\u{85}'))
})

test('in a terminal the tables fit its width, and names keep both ends', () => {
  const route = `GET /begin/${'x'.repeat(200)}/end`
  const text = render(report({ routes: [{ ...FIXTURE.routes[0], route }] }), { width: 110 })
  const line = /** @type {string} */ (text.split('\n').find((candidate) => candidate.startsWith('GET /begin')))
  assert.ok(line.length <= 110, String(line.length))
  assert.match(line, /^GET \/begin\S*…\S*\/end /)
  for (const other of text.split('\n').filter((candidate) => /^ {3}\S/.test(candidate))) assert.ok(other.length <= 110, other)
  assert.ok(render(report({ routes: [{ ...FIXTURE.routes[0], route }] })).includes(route), 'whole in a file')
})

test('colours are only added when asked for, and change nothing else', () => {
  const plain = render(report({ warnings: ['w'] }))
  const colored = render(report({ warnings: ['w'] }), { color: true })
  assert.ok(!plain.includes('\x1b'))
  assert.ok(colored.includes('\x1b[1mp99') && colored.includes('\x1b[33m! w'))
  // eslint-disable-next-line no-control-regex
  assert.equal(colored.replace(/\x1b\[\d+m/g, ''), plain)
})

test('a long critical path shows its longest steps, in order, and sums up the others', () => {
  const path = Array.from({ length: 100 }, (_, i) => ({ type: 'tcp_read', io_ns: 1000, queue_ns: 0, exec_ns: i === 50 ? 9_000_000 : 10_000, gc_ns: 0, blocked_by: [] }))
  const latency = path.reduce((sum, step) => sum + step.io_ns + step.exec_ns, 0)
  const text = render(report({ slowest: [{ id: 1, process: 2, thread: 3, route: 'GET /', latency_ns: latency, path }] }))
  assert.match(text, /^1\. GET \/ {2}10\.1 ms {2}request 1, process 2, thread 3$/m)
  assert.equal(text.match(/^ {3}tcp_read /gm)?.length, 12)
  assert.match(text, /^ {3}\(39 short steps\) +█* +39\.0 µs +390 µs$/m)
  assert.match(text, /^ {3}\(49 short steps\) +█* +49\.0 µs +490 µs$/m)
})

test('a step that stands for many says for how many', () => {
  const step = { type: 'timer', io_ns: 0, queue_ns: 0, exec_ns: 10_000, gc_ns: 0, blocked_by: [] }
  const merged = { ...step, exec_ns: 20_020_000, steps: 2002 }
  const long = (/** @type {any} */ path) => ({ ...FIXTURE.slowest[0], latency_ns: 30e6, path })
  const request = long([step, merged, ...Array(20).fill(step)])
  assert.match(render(report({ request })), /^ {3}timer and 2,001 steps after it +█+ .* 20\.0 ms/m)
  // In a list, where it is not among the longest.
  const slowest = [long([...Array(12).fill({ ...step, exec_ns: 1e6 }), { ...merged, exec_ns: 900_000, steps: 90 }, step])]
  assert.match(render(report({ slowest })), /^ {3}\(91 short steps\) +.* 910 µs/m)
})

test('nothing is said of JIT and IC times where no request was recorded', () => {
  const none = { count: 0, mean_latency_ns: null, exec: { gc_ns: null, jit_ns: null, ic_ns: null, native_ns: null } }
  assert.doesNotMatch(render(report({ requests: { count: 0 }, tail: none, rest: none, slowest: [] })), /times are unavailable/)
})

test('one request in full: every step, and every event with its edges', () => {
  const request = {
    ...FIXTURE.slowest[0],
    outcome: 'aborted',
    nodes: [
      { index: 0, type: 'tcp_read', slice: false, parent: null, ready_kind: 'observed', ready_ns: 0, begin_ns: 60e6, end_ns: 70e6, on_path: true },
      { index: 1, type: 'fs_read', slice: true, parent: 0, ready_kind: 'none', ready_ns: null, begin_ns: 100e6, end_ns: 115e6, on_path: false }
    ]
  }
  const text = render(report({ request }))
  assert.match(text, /^POST \/todo {2}120 ms {2}request 8123, process 4711, status 200, aborted$/m)
  assert.match(text, /^ {2}\* 0 {4}tcp_read +observed +0 +60\.0 ms +70\.0 ms$/m)
  assert.match(text, /^ {4}1 {4}fs_read \(resumed\) +0 +none +unavailable +100 ms +115 ms$/m)
  assert.doesNotMatch(text, /Slowest requests/)
})

test('one request of thousands of events: in one table', () => {
  const nodes = Array.from({ length: 8000 }, (_, i) => ({
    index: i, type: i === 700 ? 'thread_pool' : 'timer', slice: false, parent: i === 0 ? null : i - 1, ready_kind: 'due', ready_ns: i, begin_ns: i, end_ns: i + 1, on_path: true
  }))
  const text = render(report({ request: { ...FIXTURE.slowest[0], nodes } }))
  const rows = text.split('\n').filter((line) => /^ {2}\* \d+ /.test(line))
  assert.equal(rows.length, 8000)
  assert.equal(new Set(rows.map((row) => row.indexOf('due'))).size, 1)
})

test('what is missing from a report is unavailable, never an error or a zero', () => {
  assert.match(render({ schema: 1 }), /^No finished request was recorded/)
  const text = render(minimal({ count: 1, mean_latency_ns: 5e6 }, { count: 99, mean_latency_ns: 1e6 }))
  assert.match(text, /^ {2}I\/O +unavailable +unavailable$/m)
  assert.doesNotMatch(text, /NaN|undefined/)
})

test('JIT and IC among the blockers: rows of their own, and beside the queueing in the sentence', () => {
  const vm = [{ what: 'JIT compilation', kind: 'jit', queue_ns: 3e8, share: 0.5, requests: 4 }, { what: 'IC misses', kind: 'ic', queue_ns: 1e8, share: 0.2, requests: 2 }]
  const json = minimal(group(42e6, { queue: 40e6 }), group(2e6), { blockers: [...vm, blocker('GET /a', 1e8)] })
  assert.match(firstLine(json), / queued behind GET \/a more/)
  const text = render(json)
  assert.match(text, /JIT compilation +jit +300 ms +50\.0 % +4 of 10/)
  assert.match(text, /IC misses +ic +100 ms +20\.0 % +2 of 10/)
})

test('collections by reason: where the trace has it, the longest first', () => {
  const reasons = { 'allocation failure': { count: 12, total_ns: 5e6 }, 'global allocation limit': { count: 1, total_ns: 9e6 } }
  const gc = { count: 13, total_ns: 14e6, by_type: {}, by_reason: reasons }
  const json = minimal(group(42e6), group(2e6), { gc })
  assert.match(render(json), /by V8's reason: global allocation limit 1 in 9\.00 ms, allocation failure 12 in 5\.00 ms\./)
  assert.doesNotMatch(render({ ...json, gc: { ...gc, by_reason: null } }), /reason/)
})

test('many routes and blockers: the first ones, and how many more', () => {
  const routes = Array.from({ length: 20 }, (_, i) => ({ ...FIXTURE.routes[0], route: `GET /${i}` }))
  const blockers = Array.from({ length: 13 }, (_, i) => ({ ...FIXTURE.blockers[0], what: `GET /${i} timer` }))
  const text = render(report({ routes, blockers }))
  assert.match(text, /^GET \/14 .*\n\.\.\. and 5 more routes: --json lists all$/m)
  assert.match(text, /^GET \/11 timer .*\n\.\.\. and 1 more blocker: --json lists all$/m)
})

test('values that differ between files are all named', () => {
  assert.match(render(report({ node: ['v20.1.0', 'v22.1.0'], command: null })), /^Recorded with .*node v20\.1\.0 and v22\.1\.0\.$/m)
  assert.match(render(report({ watcher: { available: false, error_ns: null } })), /^The ready-time watcher was off/m)
})

test('fidelity as text: what is less than exact, where the causality does not make it exact', () => {
  const fidelity = {
    tcp_read: 'begin exact, ready observed, cause shared',
    timer: ['begin per pass, ready due, cause id', 'begin exact, ready due, cause id'],
    promise: 'begin exact, ready resolved, cause promises: exact; events: unavailable',
    gc: 'exact, without incremental steps',
    jit: 'unavailable: stock Node does not tell'
  }
  assert.match(render(report({ fidelity })), /^Known less than exactly: cause shared \(tcp_read\); begin per pass \(timer\)\.$/m)
  assert.match(render(report({ fidelity, causality: 'events' })), /cause promises: exact; events: unavailable \(promise\)/)
  assert.doesNotMatch(render(report({ fidelity: {} })), /Known less/)
})

test('doctor\'s answer', () => {
  const checks = [
    { name: 'addon', available: false, reason: 'not built', essential: true },
    { name: 'energy counters', available: false, reason: 'no powercap zone' },
    { name: 'trace directory', available: true, reason: '/srv, 10 MiB free', essential: true }
  ]
  assert.equal(renderChecks({ usable: false, facts: { node: 'v20' }, checks, problems: ['EDGEWISE_MODE="x" is not allowed'] }), `\
Requests cannot be recorded here: see addon.
! EDGEWISE_MODE="x" is not allowed

addon            no   not built
energy counters  no   no powercap zone
trace directory  yes  /srv, 10 MiB free

node v20
`)
})
