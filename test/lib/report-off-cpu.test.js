'use strict'

// What a report says of the time for which threads did not run.

const assert = require('node:assert/strict')
const test = require('node:test')
const { render } = require('../../lib/report')
const { firstLine, group, minimal } = require('./report-kit')

const MS = 1e6
const NONE = { preempted_ns: 0, throttled_ns: 0, fault_ns: 0, blocked_ns: 0 }
const QUOTA = { quota_us: 30_000, period_us: 100_000, periods: 358, throttled_periods: 350, throttled_ns: 20_500 * MS }

/** A request that takes so long, of which its thread did not run so long, in its execution. */
function slow (latency, not) {
  const withheld = { ...NONE, ...not }
  const off = Object.values(withheld).reduce((sum, ns) => sum + ns, 0)
  const made = group(latency)
  return { ...made, not_running: withheld, exec: { ...made.exec, native_ns: latency - off, not_running: withheld }, queue: { ...made.queue, not_running: NONE } }
}

test('the sentence names the quota', () => {
  const told = minimal(slow(367 * MS, { throttled_ns: 291 * MS }), slow(25 * MS, {}), { off_cpu: { available: true, quota: QUOTA } })
  assert.equal(firstLine(told), 'p99 requests are 342 ms slower than the median (367 ms against 25 ms): 291 ms the processor was not given (CPU quota: throttled in 350 of 358 periods), 51 ms own execution more than in the others.')
  const text = render(told)
  assert.match(text, /not running: throttled +291 ms +0 +\+291 ms/)
  assert.match(text, /CPU quota: 30(\.0)? ms of each 100 ms, used up in 350 of 358 periods; the group was stopped for 20\.5 s, summed over processors\. Raise the CPU limit/)
  assert.doesNotMatch(text, /not running: preempted/)
})

test('or the neighbours, and what to do', () => {
  const told = minimal(slow(100 * MS, { preempted_ns: 60 * MS, blocked_ns: 20 * MS }), slow(20 * MS, {}), { off_cpu: { available: true } })
  assert.match(firstLine(told), /80 ms the processor was not given \(75 % preempted by other threads or processes, 25 % blocked in the kernel: a disk or a lock\)/)
  assert.match(render(told), /processors of its own/)
})

test('what is not known is no zero, and has its reason', () => {
  const told = minimal(group(100 * MS), group(20 * MS), { off_cpu: { available: false, reason: 'perf_event_open: Permission denied' } })
  assert.doesNotMatch(render(told), /not running:/)
  assert.match(render(told), /When threads did not run is unavailable \(perf_event_open: Permission denied; allow perf_event_open: /)
})

test('what is known in length only says so, and what would tell more', () => {
  const told = minimal(group(100 * MS), group(20 * MS), { off_cpu: { available: true, by: 'sums', reason: 'perf_event_open: Operation not permitted' } })
  assert.match(render(told), /known, and not when within an event \(perf_event_open: Operation not permitted\); to know that, allow .*--cap-add=PERFMON/)
})

test('who shares a quota is counted', () => {
  const limits = { processors: 2, online: 8, pool_threads: 4, v8_threads: 4 }
  const told = minimal(slow(367 * MS, { throttled_ns: 291 * MS }), slow(25 * MS, {}), { off_cpu: { available: true, quota: QUOTA, limits } })
  assert.match(render(told), /they share it \(its JavaScript, 4 threads of libuv's pool, 4 of V8's, on 2 processors\)/)
})

test('the loop was busy, and did not run', () => {
  const loop = { busy_ns: 96e9, span_ns: 100e9, utilisation: 0.96, not_running_ns: 65e9 }
  assert.match(render(minimal(group(2 * MS), group(1 * MS), { loop })), /event loop busy 96\.0 %, on the processor 31\.0 %/)
})

test('collections took long, and did not run', () => {
  const gc = { count: 638, total_ns: 8490 * MS, not_running_ns: 6790 * MS, by_type: {}, by_reason: null }
  assert.match(render(minimal(group(2 * MS), group(1 * MS), { gc })), /638 GCs in 8\.49 s \(1\.70 s on the processor\)/)
  assert.match(render(minimal(group(2 * MS), group(1 * MS), { gc: { ...gc, not_running_ns: null } })), /638 GCs in 8\.49 s$/m)
})

test('switches that the kernel could not tell of are counted', () => {
  const text = render(minimal(group(100 * MS), group(20 * MS), { off_cpu: { available: true, lost_switches: 17 } }))
  assert.match(text, /The kernel had no room to tell of 17 switches between threads/)
})
