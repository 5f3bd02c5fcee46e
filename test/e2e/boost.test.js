'use strict'

// Boosting a real server: what is raised, that the application never notices,
// and that every Node is served alike.

const assert = require('node:assert/strict')
const { execFileSync, spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { exchanges } = require('../../benchmarks/boost/alternation')
const { switched } = require('../../benchmarks/boost/cost')
const { measureTurns } = require('../../benchmarks/boost/turns')
const { withServer } = require('../../benchmarks/overhead/cell')
const { runLoad } = require('../../benchmarks/shared/load')
const { POLICIES, ACTUATORS } = require('../../lib/config/boost')
const { send } = require('../../lib/control')
const edgewise = require('../../lib/index')
const { load } = require('../../lib/native/binding')
const { BOOSTD } = require('../../lib/native/native-files')
const { readBoost } = require('../../lib/report/boost')
const fixture = require('../load/fixture-app')
const { ROOT, inParallel, plainEnvironment, request, startApp, temporaryDirectory } = require('./recorded-app')
const { makeGroup } = require('./surroundings')

const LOG = { EDGEWISE_BOOST: 'gc,queue', EDGEWISE_BOOST_ACTUATOR: 'log' }
const NOT_RECORDED = { EDGEWISE_ENABLED: '0' }

/** @param {string[]} options of `edgewise boost` @param {string[]} args of the Node.js that it runs @param {object} [env] */
function commandLine (options, args, env = {}) {
  return spawnSync(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), 'boost', ...options, '--actuator', 'log', '--', process.execPath, ...args],
    { env: { ...plainEnvironment(), ...env }, encoding: 'utf8' })
}

/** @param {any} app @param {object} [options] */
function stats (app, { directory = app.out } = {}) {
  const threads = readBoost(directory)
  assert.equal(threads.length, 1, app.stderr)
  const [one] = threads
  const { low, mid, high } = one.residency_ns
  assert.ok(Math.abs(low + mid + high - one.elapsed_ns) < 1e6, 'the levels add up to the time')
  return one
}

test('the names in JavaScript are the native ones', () => {
  const { boostPolicies, boostActuators } = load()
  assert.deepEqual([...boostPolicies].sort(), [...POLICIES].sort())
  assert.deepEqual([...boostActuators, 'auto'].sort(), [...ACTUATORS].sort())
})

test('collections and slow events are boosted, beside recording', async (t) => {
  // Slow events that take most of the loop's time are usual, but not by a factor of 1.
  const app = await startApp(t, 'http.js', { flags: ['--expose-gc'], env: { ...LOG, EDGEWISE_BOOST_HEAD_FACTOR: '1' } })
  const headNs = async () => (await send(app.child.pid, 'status')).boost.reasons.head?.boosted_ns ?? 0
  await inParallel(200, (number) => request(app.port, `/user/${number}`))
  for (let i = 0; i < 5; i++) {
    await request(app.port, '/collect')
    const before = await headNs()
    await request(app.port, '/busy/50')
    assert.ok(await headNs() > before, `slow event ${i} was boosted`)
  }
  await app.stop()
  const { boosts, reasons, reaction_ns: reaction, ...rest } = stats(app)
  assert.ok(reasons.gc.boosts >= 5, `${reasons.gc.boosts} collections`)
  // A slow event that a collection's or a queue's boost runs into has no boost of its own.
  assert.ok(boosts >= 10, `${boosts} boosts of five collections and five slow events`)
  assert.ok(reasons.head.boosted_ns > 5 * 30e6, 'most of 50 ms each')
  assert.equal(reaction.gc.count, reasons.gc.boosts)
  assert.equal(boosts, Object.values(reasons).reduce((sum, one) => sum + one.boosts, 0))
  assert.equal(rest.dropped_signals, 0)
  const report = edgewise.report(app.out)
  assert.equal(report.requests.count, 210)
  assert.equal(report.boost[0].boosts, boosts)
  assert.match(app.stderr, /^edgewise: boosting \(gc,queue\) with log: .+\n/)
})

test('it boosts without recording too, and a signal that ends the process has it written', async (t) => {
  const app = await startApp(t, 'http.js', { flags: ['--expose-gc'], env: { ...LOG, ...NOT_RECORDED } })
  await request(app.port, '/collect')
  const { recording, boost } = await send(app.child.pid, 'status')
  assert.equal(recording, false)
  assert.ok(boost.reasons.gc.boosts >= 1, '`edgewise status` tells of boosting')
  assert.equal(fs.existsSync(app.out), false)
  await app.stop()

  const directory = path.join(app.root, 'stats')
  const second = await startApp(t, 'http.js', { flags: ['--expose-gc'], env: { ...LOG, ...NOT_RECORDED, EDGEWISE_BOOST_STATS: directory } })
  await request(second.port, '/collect')
  second.child.kill('SIGTERM')
  assert.equal((await second.ended).signal, 'SIGTERM')
  assert.ok(stats(second, { directory }).reasons.gc.boosts >= 1)
})

test('edgewise boost --record: the trace is named, its report says what was boosted, and no second one is mixed with it', (t) => {
  const out = path.join(temporaryDirectory(t), 'trace')
  const boost = () => commandLine(['--record', '--out', out], ['-e', '0'])
  const { status, stdout, stderr } = boost()
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^boosting: gc,queue with log /)
  assert.ok(stderr.endsWith(` in 1 file; next: edgewise report ${out}\n`), stderr)
  assert.deepEqual(edgewise.report(out).boost.map(({ policy }) => policy), ['gc,queue'])
  const again = boost()
  assert.equal(again.status, 1)
  assert.match(again.stderr, /already holds a trace/)
})

test('edgewise boost --json leaves nothing else on stdout', () => {
  const { status, stdout, stderr } = commandLine(['--json'], ['-p', '"said by the application"'])
  assert.equal(status, 0, stderr)
  assert.deepEqual(JSON.parse(stdout).boost.map(({ policy }) => policy), ['gc,queue'])
  assert.match(stderr, /^said by the application$/m)
})

test('edgewise boost leaves its statistics where EDGEWISE_BOOST_STATS says, and tells only of its own run', (t) => {
  const directory = path.join(temporaryDirectory(t), 'stats')
  for (const runs of [1, 2]) {
    const { status, stdout, stderr } = commandLine(['--json'], ['-e', '0'], { EDGEWISE_BOOST_STATS: directory })
    assert.equal(status, 0, stderr)
    assert.equal(JSON.parse(stdout).boost.length, 1)
    assert.equal(fs.readdirSync(directory).length, runs)
  }
})

test('without a way to change the frequency: one line, and the application runs', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_BOOST: 'gc', EDGEWISE_BOOST_ACTUATOR: 'daemon', EDGEWISE_BOOST_SOCKET: '/nowhere/boostd.sock', ...NOT_RECORDED } })
  assert.equal((await request(app.port, '/user/1')).body, 'user\n')
  await app.stop()
  assert.match(app.stderr, /^edgewise: .*boostd.*; the application goes on at its normal frequency\n$/)
})

test('emulated: a control group without real-time is named, and what to do', async (t) => {
  const made = makeGroup(t, 'cpu', { 'cpu.rt_runtime_us': 0 })
  if (!made) return t.skip('no control group with a budget of real-time can be made here')
  const app = await startApp(t, 'http.js', { wrapper: made.wrapper, env: { EDGEWISE_BOOST: 'gc', EDGEWISE_BOOST_ACTUATOR: 'emulated', ...NOT_RECORDED } })
  assert.equal((await request(app.port, '/user/1')).body, 'user\n')
  await app.stop()
  assert.match(app.stderr, /^edgewise: .*control group.*cpu\.rt_runtime_us.*; the application goes on at its normal frequency\n$/)
})

test('frequencies below the nominal one and unknown policies are named', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_BOOST: 'turbo', EDGEWISE_BOOST_MHZ: '4000,2600', ...NOT_RECORDED } })
  await app.stop()
  assert.match(app.stderr, /EDGEWISE_BOOST="turbo" is not allowed: .*gc, queue/)
  assert.match(app.stderr, /EDGEWISE_BOOST_MHZ="4000,2600" is not allowed: .*ascending/)
})

test('a policy of requests sees them begin and end', async (t) => {
  const app = await startApp(t, 'http.js', { env: { ...LOG, EDGEWISE_BOOST: 'adrenaline', EDGEWISE_BOOST_ROUTES: 'GET /timer' } })
  for (let i = 0; i < 10; i++) await request(app.port, '/timer')
  for (let i = 0; i < 30; i++) await request(app.port, `/user/${i}`)
  await app.stop()
  const { reasons } = stats(app)
  assert.equal(reasons.request.boosts, 10)
  assert.ok(reasons.request.boosted_ns > 10 * 2.5e6)
})

test('emulated: the event loop slows down, and is as fast as ever when boosted', async (t) => {
  const directory = (app) => path.join(app.root, 'stats')
  for (const policy of ['low', 'high']) {
    const app = await startApp(t, 'http.js', { env: { EDGEWISE_BOOST: policy, EDGEWISE_BOOST_ACTUATOR: 'emulated', EDGEWISE_BOOST_STATS: 'stats', ...NOT_RECORDED } })
    if (app.stderr.includes('CAP_SYS_NICE')) return t.skip('this user may not use SCHED_FIFO')
    assert.equal((await request(app.port, '/user/1')).body, 'user\n')
    await app.stop()
    const { residency_ns: residency, elapsed_ns: elapsed, energy } = stats(app, { directory: directory(app) })
    assert.ok(residency[policy] > 0.99 * elapsed)
    assert.equal(energy.kind, 'modelled')
    assert.ok(policy === 'low' ? energy.normalised < 1.01 : energy.normalised > 2.6)
  }
})

test('what boosting costs is told by requests, which are counted whatever calls read and write them', async () => {
  const settings = { servers: path.join(ROOT, 'benchmarks/overhead/servers'), serverCpus: '0', helperCpus: '0,1', loadCpus: '1', connections: 4, seconds: 0, warmup: 0 }
  await withServer('hello', switched, settings, async ({ pid }, url) => {
    await send(pid, 'on')
    const before = exchanges()
    const { answered_total: answered } = await runLoad(url, ['--closed', '--connections', '4', '--duration', '1'], { cpus: '1' })
    const counted = exchanges() - before
    assert.ok(answered > 100 && Math.abs(counted / answered - 1) < 0.05, `${counted} of ${answered}`)
  })
})

test('policies take turns with static low in one process, under the same arrivals', async () => {
  const run = { section: 'main', app: /** @type {any} */ (fixture), actuator: 'log', delayUs: 0, workers: 1, recorded: false, round: 0 }
  const { signal } = new AbortController()
  const [low, high] = await measureTurns([{ ...run, policy: 'high' }, { ...run, policy: 'low' }], [{}, {}], { ratePerS: 1000, turn: 1, warmup: 0.5, signal })
  assert.deepEqual([low.policy, high.policy, low.bases, high.bases.length], ['low', 'high', undefined, 2])
  for (const [turn, level] of [[low, 'low'], [high, 'high'], ...high.bases.map((base) => [base, 'low'])]) {
    const { residencyNs, elapsedNs } = turn.boost
    assert.ok(residencyNs[level] > 0.99 * elapsedNs, JSON.stringify(residencyNs))
    assert.ok(turn.client.p999 >= turn.client.p50 && turn.client.p50 > 0)
  }
  assert.ok(Math.abs(high.requests / 1000 - 1) < 0.3, `${high.requests} requests in a second`)
  for (const base of high.bases) assert.equal(base.requests, high.requests, 'the same arrivals')
  assert.equal(low.errors + high.errors, 0)
  assert.deepEqual([low.turns, high.turns], [2, 1])
})

test('an interruption ends the turns, and their application', async () => {
  const interruption = new AbortController()
  setTimeout(() => interruption.abort(new Error('interrupted')), 3000)
  const run = { section: 'main', app: /** @type {any} */ (fixture), policy: 'high', actuator: 'log', delayUs: 0, workers: 1, recorded: false, round: 0 }
  await assert.rejects(measureTurns([run], [{}], { ratePerS: 100, turn: 60, warmup: 0, signal: interruption.signal }), /interrupted/)
})

test('the daemon boosts for a server without privilege, and takes it back when that is killed', async (t) => {
  const socket = path.join(temporaryDirectory(t), 'boostd.sock')
  const daemon = spawn(BOOSTD, ['--socket', socket, '--actuator', 'log'], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => daemon.kill('SIGKILL'))
  await new Promise((resolve) => daemon.stderr.once('data', resolve))
  const status = () => JSON.parse(execFileSync(BOOSTD, ['--socket', socket, '--status', '--json'], { encoding: 'utf8' }))
  const app = await startApp(t, 'http.js', { flags: ['--expose-gc'], env: { EDGEWISE_BOOST: 'gc,queue', EDGEWISE_BOOST_SOCKET: socket, ...NOT_RECORDED } })
  assert.match(app.stderr, /boosting \(gc,queue\) with daemon: /, 'auto prefers the daemon')
  for (let i = 0; i < 3; i++) await request(app.port, '/collect')
  const { clients, boosts } = status()
  assert.equal(clients, 1)
  assert.ok(boosts >= 1, `${boosts} boosts`)
  app.child.kill('SIGKILL')
  await app.ended
  for (let i = 0; status().clients > 0; i++) {
    assert.ok(i < 100, 'the daemon forgets who was killed')
    await sleep(10)
  }
})
