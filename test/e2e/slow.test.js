'use strict'

// Two services, one of them paused: whether pauses are those that were counted,
// and whether each service goes on, however it ends.

const assert = require('node:assert/strict')
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { cpuList, cpusOf } = require('../../lib/slow/cores')
const { ROOT, request, startApp } = require('./recorded-app')

const [FIRST, SECOND] = cpuList(cpusOf([process.pid])).split(',')
const BATCH = 5
const CUT_US = 400
const PAUSE_NS = 1000 * CUT_US * BATCH
const LOOKS = 40
const skip = SECOND === undefined && 'needs two processors'

/** @returns {Promise<{ front: any, inner: any, args: string[] }>} front asks inner; args: of `edgewise slow`, both as processes that run */
async function twoServices (t, places = [FIRST, SECOND]) {
  const on = (/** @type {string} */ cpus, env = {}) => startApp(t, 'asking.js', { env: { EDGEWISE_ENABLED: '0', ...env }, wrapper: ['taskset', '-c', cpus] })
  const inner = await on(places[0])
  const front = await on(places[1], { NEXT_PORT: String(inner.port) })
  const named = ['--service', `front=${front.child.pid}`, '--service', `inner=${inner.child.pid}`]
  return { front, inner, args: ['--target', 'inner', '--by', `${CUT_US}us`, '--url', '/', '--batch', String(BATCH), '--connections', '20', '--warmup', '1', '--for', '5', ...named] }
}

/** @param {string[]} args */
function slow (t, args) {
  const child = spawn(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), 'slow', ...args])
  t.after(() => child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => { output.stdout += text })
  child.stderr.on('data', (text) => { output.stderr += text })
  // Of a command that was killed, the load keeps what it prints errors on open.
  const killed = once(child, 'exit').then(async (how) => {
    await sleep(1000)
    return how
  })
  return { child, output, ended: Promise.race([once(child, 'close'), killed]).then(([code]) => ({ code, ...output })) }
}

/** @param {number} pid */
const stateOf = (pid) => /\) (\w)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]

/** @param {number} parent @returns {number[]} */
function childrenOf (parent) {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' }).split('\n').filter(Boolean).map(Number)
}

/** @param {number} command @returns {{ watchdog: number, poker: number }} those of the service that is paused */
function pokersOf (command, service) {
  const watchdog = /** @type {number} */ (childrenOf(command).find((pid) => {
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words[0].endsWith('edgewise-poker') && words.includes(String(service))
  }))
  return { watchdog, poker: childrenOf(watchdog)[0] }
}

/** Waits until the process is found stopped. @param {number} pid */
async function paused (pid) {
  for (const deadline = Date.now() + 60_000; stateOf(pid) !== 'T';) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is never paused`)
    await sleep(1)
  }
}

/** It answers, and is never found stopped from now on. */
async function goesOn ({ port, child }) {
  for (const deadline = Date.now() + 10_000; stateOf(child.pid) === 'T' && Date.now() < deadline;) await sleep(5)
  assert.equal((await request(port, '/')).body, 'done')
  for (let i = 0; i < LOOKS; i++) {
    assert.notEqual(stateOf(child.pid), 'T')
    await sleep(5)
  }
}

test('the others are paused for each round of the target, and go on when all is measured', { skip }, async (t) => {
  const { front, inner, args } = await twoServices(t)
  const { code, stdout, stderr } = await slow(t, [...args, '--repetitions', '1', '--json']).ended
  assert.equal(code, 0, stderr)
  const { schema, calls, runs, cuts, repetitions, services } = JSON.parse(stdout)
  assert.deepEqual([schema, repetitions, cuts.length], [1, 1, 1])
  assert.ok(Math.abs(calls - 1) < 0.2, String(calls))
  assert.deepEqual(services.map(({ name, cpus }) => [name, cpus]), [['front', SECOND], ['inner', FIRST]])
  const [asItIs, , cut] = runs
  assert.deepEqual([asItIs.cut, asItIs.pausedNs], [null, 0])
  assert.ok(cut.rounds >= 10)
  // The last pause may be cut short.
  assert.ok(Math.abs(cut.pausedNs / PAUSE_NS - 1) < 0.2, JSON.stringify(cut))
  assert.ok(cut.predicted > cut.throughput)
  assert.deepEqual(cuts[0].gain.slice(1), [-1, null])
  for (const each of [front, inner]) await goesOn(each)
})

/** @param {number} leader of a process group, which may have ended */
function endGroup (leader) {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}

const ENDINGS = {
  'Ctrl-C': (/** @type {any} */ { command }) => process.kill(command, 'SIGINT'),
  'the end of the command by force': (/** @type {any} */ { command }) => process.kill(command, 'SIGKILL'),
  'the end of the poker by force': (/** @type {any} */ { poker }) => process.kill(poker, 'SIGKILL'),
  'the end of its watchdog by force': (/** @type {any} */ { watchdog }) => process.kill(watchdog, 'SIGKILL'),
  'the end of both by force': (/** @type {any} */ { poker, watchdog }) => {
    process.kill(watchdog, 'SIGKILL')
    process.kill(poker, 'SIGKILL')
  },
  'a poker that hangs': (/** @type {any} */ { poker }) => process.kill(poker, 'SIGSTOP')
}
const CODES = { 'Ctrl-C': 130, 'the end of the command by force': null }

for (const [name, end] of Object.entries(ENDINGS)) {
  test(`every service goes on after ${name}`, { skip }, async (t) => {
    const { front, inner, args } = await twoServices(t)
    const { child, ended, output } = slow(t, [...args, '--for', '2', '--repetitions', '50'])
    while (!/^edgewise: run 1 of 50, pauses of 100 µs/m.test(output.stderr)) {
      assert.equal(child.exitCode, null, output.stderr)
      await sleep(50)
    }
    const all = childrenOf(/** @type {number} */ (child.pid))
    const found = { command: child.pid, ...pokersOf(/** @type {number} */ (child.pid), front.child.pid) }
    await paused(front.child.pid)
    end(found)
    const { code, stderr } = await ended
    assert.equal(code, CODES[name] === undefined ? 1 : CODES[name], stderr)
    if (CODES[name] === undefined) assert.match(stderr, /the poker beside front/)
    for (const each of [front, inner]) await goesOn(each)
    // Of a command that was killed, the load lives on.
    for (const leader of all) endGroup(leader)
  })
}

test('who shares a processor with the target is refused, and nobody is paused', { skip }, async (t) => {
  const { args } = await twoServices(t, [FIRST, `${FIRST},${SECOND}`])
  const { code, stdout, stderr } = await slow(t, args).ended
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, new RegExp(`^edgewise: inner and front may both run on processor ${FIRST}: .*--cpus inner=0 --cpus front=1`, 'm'))
})

test('a target that counts no requests needs --calls', { skip }, async (t) => {
  const { front, args } = await twoServices(t)
  const other = spawn('taskset', ['-c', FIRST, 'sleep', '600'])
  t.after(() => other.kill('SIGKILL'))
  const asked = [...args.slice(0, -1), `inner=${other.pid}`]
  const refused = await slow(t, asked).ended
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^edgewise: inner is the target: .*or say with --calls/m)
  const { code, stdout, stderr } = await slow(t, [...asked, '--calls', '0.5', '--repetitions', '1', '--json']).ended
  assert.equal(code, 0, stderr)
  const { runs: [, , cut] } = JSON.parse(stdout)
  assert.ok(Math.abs(cut.pausedNs / PAUSE_NS - 0.5) < 0.1, JSON.stringify(cut))
  await goesOn(front)
})
