'use strict'

// What the thread did not run for is told apart from what it did.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { render } = require('../../lib/report')
const { timedTest } = require('./attempts')
const { inParallel, report, request, startApp } = require('./recorded-app')
const { PINNED, makeGroup, startRival } = require('./surroundings')

const ROUNDS = 1000
const REQUESTS = 30
const QUOTA_US = 20_000

/** Sends requests that work, in order. @returns {Promise<any>} the report of all of them, and for how long their handlers ran, and the thread at most, ns each */
async function worked (t, options = {}) {
  const app = await startApp(t, 'busy.js', options)
  /** @type {[number, number][]} */
  const ran = []
  for (let i = 0; i < REQUESTS; i++) ran.push(JSON.parse((await request(app.port, `/work/${ROUNDS}`)).body))
  await app.stop()
  assert.equal(app.stderr.replace(/^edgewise: (recording|trace).*\n/gm, ''), '')
  return { ...report(app.out, { percentile: 0.001 }), least: ran.reduce((sum, [from, to]) => sum + to - from, 0) / REQUESTS, most: (ran[REQUESTS - 1][1] - ran[0][0]) / REQUESTS }
}

/** @param {any} group */
const sumsUp = ({ exec_ns: exec, queue_ns: queue, exec: e, queue: q }) => {
  const off = (/** @type {any} */ { not_running: not }) => Object.values(not).reduce((sum, ns) => sum + ns, 0)
  assert.ok(Math.abs(e.gc_ns + e.native_ns + off(e) - exec) < 10, JSON.stringify(e))
  assert.ok(Math.abs(q.gc_ns + q.native_ns + q.loop_ns + off(q) - queue) < 10, JSON.stringify(q))
}

/** The program's time is that of the processor, whoever else was there. How fast that is, is another matter. */
function ranAsItSays ({ tail, least, most }) {
  const told = tail.exec.native_ns + tail.exec.gc_ns
  assert.ok(told > 0.98 * least && told < 1.1 * most, `told are ${told} ns, it ran for ${least} to ${most}`)
}

timedTest('what a quota of the processor takes is throttled, and none of the program\'s time', async (t) => {
  const made = makeGroup(t, 'cpu', { 'cpu.cfs_quota_us': QUOTA_US })
  if (!made) return t.skip('no control group can be made here')
  const quiet = await worked(t)
  if (!quiet.off_cpu.available) return t.skip(quiet.off_cpu.reason)
  const told = await worked(t, { wrapper: made.wrapper })
  const stat = Object.fromEntries(fs.readFileSync(path.join(made.group, 'cpu.stat'), 'utf8').trim().split('\n').map((line) => line.split(' ')))
  const { quota } = told.off_cpu
  assert.deepEqual([quota.quota_us, quota.period_us], [QUOTA_US, 100_000])
  assert.ok(quota.throttled_periods > 5 && quota.throttled_periods <= Number(stat.nr_throttled))
  assert.ok(quota.throttled_ns <= Number(stat.throttled_time))
  sumsUp(told.tail)
  const { tail } = told
  const throttled = tail.not_running.throttled_ns * tail.count
  // The kernel sums over processors, and the group is stopped while it starts, too.
  assert.ok(throttled > 0.25 * quota.throttled_ns && throttled <= 1.02 * quota.throttled_ns, `${throttled} of ${quota.throttled_ns}`)
  assert.ok(tail.not_running.preempted_ns < 0.2 * tail.not_running.throttled_ns, JSON.stringify(tail.not_running))
  for (const each of [quiet, told]) ranAsItSays(each)
  const text = render(told)
  assert.match(text, /the processor was not given \((\d+ % )?CPU quota: throttled in \d+ of \d+ periods/)
  assert.match(text, /CPU quota: 20(\.0)? ms of each 100 ms, used up in \d+ of \d+ periods/)
})

timedTest('what a rival takes is preempted', async (t) => {
  const pinned = { wrapper: PINNED }
  const quiet = await worked(t, pinned)
  if (!quiet.off_cpu.available) return t.skip(quiet.off_cpu.reason)
  const rival = startRival(t)
  const told = await worked(t, pinned)
  rival.kill('SIGKILL')
  sumsUp(told.tail)
  assert.ok(told.tail.not_running.preempted_ns > 0.4 * told.tail.exec.native_ns, JSON.stringify(told.tail))
  assert.equal(told.tail.not_running.throttled_ns, 0)
  for (const each of [quiet, told]) ranAsItSays(each)
})

timedTest('what it sleeps for within an event is blocked; others wait for that', async (t) => {
  const app = await startApp(t, 'busy.js')
  await request(app.port, '/wait/1')
  await inParallel(4, () => request(app.port, '/wait/50'), 2)
  await app.stop()
  const told = report(app.out, { percentile: 99 })
  if (!told.off_cpu.available) return t.skip(told.off_cpu.reason)
  const all = report(app.out, { percentile: 0.001 })
  sumsUp(all.tail)
  const blocked = all.tail.exec.not_running.blocked_ns * all.tail.count
  assert.ok(blocked > 195e6 && blocked < 240e6, `${blocked}`)
  assert.ok(all.tail.queue.not_running.blocked_ns > 0)
  assert.ok(all.blockers.some((/** @type {any} */ { route, not_running_ns: off }) => route?.startsWith('GET /wait') && off > 45e6), JSON.stringify(all.blockers))
})

test('EDGEWISE_OFF_CPU=0: it is not known, and never zero', async (t) => {
  const told = await worked(t, { env: { EDGEWISE_OFF_CPU: '0' } })
  assert.equal(told.off_cpu.available, false)
  assert.equal(told.tail.not_running, null)
  assert.equal(told.loop.not_running_ns, null)
  assert.match(render(told), /When threads did not run is unavailable \(EDGEWISE_OFF_CPU=0\)/)
})
