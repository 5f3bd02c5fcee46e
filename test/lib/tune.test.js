'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { hasEnded, packageCopy } = require('./package-copy')
const { meanOfRatios, median, pairedDifference, pairedRatio } = require('../../lib/statistics')
const { coarse, fine, flagsOf, labelOf, usualOld } = require('../../lib/tune/candidates')
const { OBJECTIVES, againstDefaults, judge, moreMemory, recommend } = require('../../lib/tune/choose')
const { Sweep } = require('../../lib/tune/sweep')

const NODE = process.execPath
const MIB = 2 ** 20
// Notes the flags of each of its processes, and serves what must be collected.
const SERVER = `require('node:fs').appendFileSync('flags', JSON.stringify([process.execArgv.filter((arg) => /space/.test(arg)), process.env.NODE_OPTIONS]) + '\\n')
if (process.execArgv.includes(process.env.DIES_AT)) process.exit(7)
require('node:http').createServer((request, response) => {
  const made = Array.from({ length: 20000 }, (_, i) => ({ i }))
  response.end(String(made.length))
}).listen(0)`
const LOAD = `"$NODE" -e '(async () => {
  for (const end = Date.now() + 100; Date.now() < end;) await (await fetch(process.env.URL)).text()
})()'`

/** @param {string} cwd */
function flagsSeen (cwd) {
  return fs.readFileSync(path.join(cwd, 'flags'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line))
}

/** A run whose every number comes from its latency in ms. */
function runOf (ms, memoryMib = 100) {
  return {
    latencyNs: { p50: ms * 1e5, p99: ms * 5e5, 'p99.9': ms * 1e6 },
    requests: 20_000,
    requestsPerS: 1000 / ms,
    gcMsPerS: 1,
    tailGcNs: 1e6,
    tailOffShare: 0.1,
    memoryBytes: memoryMib * MIB,
    lossy: false
  }
}

/** Noise of some share of the value, with a mean of nothing: the same each time. */
function noisy (share) {
  let at = 0
  return () => 1 + share * Math.sin(++at * 2.4)
}

/** Runs a sweep on pretended servers until it is over. */
function sweepOver ({ young = [1, 4, 16, 64], old = [], maxRuns = 200, objective = 'p99.9', noise = 0.02 }, costOf) {
  const sweep = new Sweep({ young, old, fixable: true }, OBJECTIVES[objective], maxRuns)
  const next = noisy(noise)
  for (let order = sweep.next(); order.length > 0; order = sweep.next()) {
    for (const one of order) {
      const cost = costOf(one.sizes)
      sweep.add(one, typeof cost === 'string' ? { failed: cost } : runOf(10 * cost * next(), 100 + (one.sizes.young ?? 0)))
    }
    sweep.endRound()
  }
  return sweep
}

test('paired ratios: each round against its own base', () => {
  const { ratio, low, high, runs } = pairedRatio([20, 44, 80], [10, 20, 40])
  assert.equal(runs, 3)
  assert.ok(Math.abs(ratio - (2 * 2.2 * 2) ** (1 / 3)) < 1e-12)
  assert.ok(Math.abs(low - 1.8008) < 1e-4 && Math.abs(high - 2.3670) < 1e-4, 'Student\'s t of 2 degrees of freedom is 4.3027')
  assert.ok(pairedRatio([20, 44, 80, 70], [10, 20, 40, 40], { confidence: 0.5 }).high < pairedRatio([20, 44, 80, 70], [10, 20, 40, 40]).high)
  const { difference, low: least, high: most } = pairedDifference([3, 5, 7], [1, 1, 1])
  assert.deepEqual([difference, Number(least.toFixed(2)), Number(most.toFixed(2))], [4, -0.97, 8.97])
  assert.deepEqual(pairedRatio([2], [1]), { ratio: 2, low: 0, high: Infinity, runs: 1 })
  assert.deepEqual(pairedRatio([0, 1], [1, 1]), { ratio: 0, low: 0, high: Infinity, runs: 2 })
  assert.throws(() => pairedRatio([1], []), RangeError)
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3])], [2, 2.5])
})

test('the mean of ratios: independent groups, whose rounds count together', () => {
  const groups = [[2, 2.2, 2], [1, 1.1, 0.9]]
  const { ratio, low, high, runs } = meanOfRatios(groups)
  assert.equal(runs, 3)
  const [first, second] = groups.map((group) => pairedRatio(group, [1, 1, 1]))
  assert.ok(Math.abs(ratio - (first.ratio + second.ratio) / 2) < 1e-12)
  // Wider than if there were all rounds of both, narrower than the wider group's alone.
  assert.ok(high - ratio < (second.high - second.low) / 2 && high - ratio > (first.high - first.low) / 8)
  assert.ok(Math.abs(ratio - low - (high - ratio)) < 1e-12)
  assert.deepEqual(meanOfRatios([[1, 1], [4, 4]]), { ratio: 2.5, low: 2.5, high: 2.5, runs: 2 })
  assert.deepEqual(meanOfRatios([[1, 1], [4]]), { ratio: 2.5, low: 0, high: Infinity, runs: 1 })
})

test('candidates: flags, labels, and what is near the best', () => {
  const grid = { young: [64, 1, 4, 16, 4], old: [2048], fixable: true }
  assert.deepEqual(coarse(grid).map(labelOf), ['young 1', 'young 4', 'young 16', 'young 64', 'old 2048'])
  assert.deepEqual(coarse({ ...grid, fixable: false }).map(flagsOf)[1], ['--max-semi-space-size=4'])
  assert.deepEqual(flagsOf({ young: 4, old: 512 }), ['--max-semi-space-size=4', '--min-semi-space-size=4', '--max-old-space-size=512'])
  assert.deepEqual(flagsOf({}), [])
  assert.deepEqual(fine({ young: 16 }, null, grid).map(labelOf), ['young 8', 'young 32', 'young ≤16'])
  assert.deepEqual(fine({ young: 64 }, { old: 2048 }, grid).map(labelOf), ['young 32', 'young 128', 'young ≤64', 'young 64, old 2048'])
  assert.deepEqual(fine({ young: 1 }, null, grid).map(labelOf), ['young 2', 'young ≤1'], 'none below 1 MiB')
  assert.deepEqual(usualOld(4144, 24_000), [2048, 8192])
  assert.deepEqual(usualOld(4144, 6000), [2048], 'no more than the machine has')
})

test('a round lies between two runs of the defaults and turns around; three rounds are coarse', () => {
  const sweep = new Sweep({ young: [4, 16], old: [], fixable: true }, OBJECTIVES.p99, 100)
  const rounds = []
  for (let order = sweep.next(); rounds.length < 4; order = sweep.next()) {
    rounds.push(order.map((one) => one.role === 'tried' ? labelOf(one.sizes) : one.role))
    for (const one of order) sweep.add(one, runOf(one.sizes.young === 16 ? 5 : 10))
    sweep.endRound()
  }
  const there = ['default', 'young 4', 'young 16', 'again']
  assert.deepEqual(rounds.slice(0, 3), [there, [...there].reverse(), there])
  // Young 4 is no better for sure; what is near young 16 begins.
  assert.deepEqual(rounds[3], ['default', 'young 16', 'young 8', 'young 32', 'young ≤16', 'again'].reverse())
})

test('what is better beyond noise is found and recommended, with its memory', () => {
  const sweep = sweepOver({}, ({ young }) => young === 32 ? 0.6 : young === 16 || young === 64 ? 0.8 : 1)
  const { use, promising } = recommend(sweep.candidates, sweep.objective)
  assert.deepEqual([use?.sizes, promising, sweep.over], [{ young: 32 }, null, 'decided'])
  assert.equal(moreMemory(use, sweep.candidates), 32 * MIB)
  const ratio = againstDefaults(use, sweep.candidates, sweep.objective)
  assert.ok(ratio && ratio.low < 0.6 && ratio.high > 0.6 && ratio.high < 0.65, JSON.stringify(ratio))
  assert.ok(Number(ratio.runs) >= 6)
})

test('throughput: more is better', () => {
  const sweep = sweepOver({ objective: 'throughput' }, ({ young }) => young ? 1 / Math.log2(2 * young) : 2)
  const { use } = recommend(sweep.candidates, sweep.objective)
  assert.ok(Number(use?.sizes.young) >= 64)
  assert.ok(Number(againstDefaults(use, sweep.candidates, sweep.objective)?.ratio) > 2)
})

test('the defaults are kept when nothing differs, and that is soon known', () => {
  const sweep = sweepOver({}, () => 1)
  assert.deepEqual([recommend(sweep.candidates, sweep.objective), sweep.over], [{ use: null, promising: null }, 'decided'])
  assert.ok(sweep.runs < 40, `${sweep.runs} runs`)
})

test('noise decides nothing: it goes on to the end, and says what may be better', () => {
  const sweep = sweepOver({ young: [4, 16], noise: 0.7, maxRuns: 60 }, ({ young }) => young === 16 ? 0.85 : 1)
  const { use } = recommend(sweep.candidates, sweep.objective)
  assert.deepEqual([use, sweep.over], [null, 'runs'])
  assert.ok(sweep.runs <= 60)
})

test('a difference that the same flags show too is none', () => {
  const sweep = new Sweep({ young: [16], old: [], fixable: true }, OBJECTIVES.p99, 100)
  const [first, again, tried] = sweep.candidates
  for (let round = 0; round < 8; round++) {
    sweep.add(first, runOf(10))
    sweep.add(again, runOf(round % 2 ? 8 : 10))
    sweep.add(tried, runOf(8.4))
    sweep.endRound()
  }
  assert.ok(Number(againstDefaults(tried, sweep.candidates, sweep.objective)?.high) < 1)
  assert.equal(judge(tried, sweep.candidates, sweep.objective), 'open')
})

test('sizes with which the server fails are left out', () => {
  const sweep = sweepOver({ old: [16] }, ({ young, old }) => old ? 'out of memory' : young ? 0.7 : 1)
  const small = sweep.candidates.find(({ sizes }) => sizes.old)
  assert.deepEqual([small?.failed, small?.runs.length, judge(small, sweep.candidates, sweep.objective)], ['out of memory', 0, 'failed'])
  assert.ok(recommend(sweep.candidates, sweep.objective).use)
})

test('flags reach node, in turn; the JSON says what was done', (t) => {
  const { cwd, run, write } = packageCopy(t)
  write('server.js', SERVER)
  const { status, stdout, stderr } = run(['tune', '--load', LOAD, '--young', '4', '--old', '512', '--max-runs', '8', '--json', '--', NODE, 'server.js', 'x'],
    { NODE, TMPDIR: cwd })
  assert.equal(status, 0, stderr)
  const young = ['--max-semi-space-size=4', '--min-semi-space-size=4']
  const old = ['--max-old-space-size=512']
  assert.deepEqual(flagsSeen(cwd).map(([flags]) => flags), [[], young, old, [], [], old, young, []])
  const result = JSON.parse(stdout)
  assert.deepEqual([result.schema, result.runs, result.rounds, result.ended, result.objective, result.percentile], [1, 8, 2, 'max-runs', 'p99.9', 99.9])
  assert.deepEqual(result.command, [NODE, 'server.js', 'x'])
  assert.deepEqual(result.candidates.map(({ label, role, flags }) => [label, role, flags]), [
    ['defaults', 'default', []], ['defaults, again', 'again', []], ['young 4', 'tried', young], ['old 512', 'tried', old]
  ])
  for (const { ratio, role, runs, memory_bytes: memory } of result.candidates) {
    assert.deepEqual(runs.map(({ round }) => round), [0, 1])
    assert.deepEqual(ratio?.runs, role === 'default' ? undefined : 2)
    assert.ok(memory > 20 * MIB, `${memory}`)
  }
  assert.deepEqual(result.recommendation.flags, [])
  assert.equal(result.recommendation.text, 'keep the defaults: no candidate differs beyond noise')
  assert.match(stderr, /^edgewise: run 2 of at most 8, round 1: young 4: p99 .* requests\/s$/m)
  assert.deepEqual(fs.readdirSync(cwd).sort(), ['flags', 'server.js'], 'no trace is left')
})

test('behind another command the flags go through NODE_OPTIONS', (t) => {
  const { cwd, run, write } = packageCopy(t)
  write('server.js', SERVER)
  const { status, stdout, stderr } = run(['tune', '--load', LOAD, '--young', '4', '--old', 'none', '--max-runs', '3', '--', 'sh', '-c', '"$NODE" server.js; true'],
    { NODE, PATH: `${path.dirname(NODE)}:${process.env.PATH}`, NODE_OPTIONS: '--no-warnings' })
  assert.equal(status, 0, stderr)
  assert.match(stderr, /sh is not node, and NODE_OPTIONS takes no --min-semi-space-size/)
  const options = flagsSeen(cwd).map(([, given]) => given.replace(/--require "(\\.|[^"])*" /, ''))
  assert.deepEqual(options, ['--no-warnings', '--no-warnings --max-semi-space-size=4', '--no-warnings'])
  assert.match(stdout, /^keep the defaults: .*\n3 runs, 1 whole round, stopped by --max-runs\n/)
  assert.match(stdout, /^flags +runs +p50 +p99 +p99\.9 +requests\/s +GC ms\/s +GC at p99\.9 +memory +p99\.9 against defaults$/m)
  assert.match(stdout, /^young ≤4 +1 +.* MiB +0 % {2}open$/m)
})

test('what NODE_OPTIONS preloads may print lines of its own', (t) => {
  const { run, write } = packageCopy(t)
  write('server.js', SERVER)
  write('banner.js', 'console.log("banner")')
  const { status, stderr } = run(['tune', '--load', 'exit 3', '--young', '4', '--', NODE, 'server.js'], { NODE_OPTIONS: '--require ./banner.js' })
  assert.equal(status, 1)
  assert.match(stderr, /^edgewise: with V8's own sizes: the load ended with exit code 3: exit 3\n$/)
})

test('Ctrl-C stops what was started and prints what is known', async (t) => {
  const { begin, cwd, write } = packageCopy(t)
  write('server.js', SERVER + '\nconsole.error("app " + process.pid)')
  const { child, ended, printed } = begin(['tune', '--load', 'echo load $$ >&2; sleep 60', '--for', '0.4', '--young', '4', '--old', 'none', '--', NODE, 'server.js'],
    { TMPDIR: cwd })
  await printed(/run 1 of at most 80/)
  const pids = [(await printed(/run 1 of[\s\S]*app (\d+)/))[1], (await printed(/run 1 of[\s\S]*load (\d+)/))[1]]
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.equal(code, 130)
  assert.match(stdout, /^keep the defaults: no candidate was compared with them\n1 run, 0 whole rounds, interrupted\n/)
  for (const pid of pids) assert.ok(await hasEnded(pid), pid)
  assert.deepEqual(fs.readdirSync(cwd).sort(), ['flags', 'server.js'])
})

test('what fails is said: sizes are left out, with V8\'s own nothing can be compared', (t) => {
  const { cwd, run, write } = packageCopy(t)
  write('server.js', SERVER)
  const one = run(['tune', '--load', LOAD, '--young', '4,16', '--old', 'none', '--max-runs', '4', '--', NODE, 'server.js'], { NODE, DIES_AT: '--max-semi-space-size=4' })
  assert.equal(one.status, 0, one.stderr)
  assert.match(one.stderr, /young 4: the server ended with exit code 7 before it listened on a port; it is left out\n/)
  assert.match(one.stdout, /^! young 4: the server ended with exit code 7/m)
  assert.equal(flagsSeen(cwd).length, 4)
  const load = run(['tune', '--load', 'exit 3', '--young', '4', '--', NODE, 'server.js'])
  assert.deepEqual([load.status, load.stdout], [1, ''])
  assert.match(load.stderr, /with V8's own sizes: the load ended with exit code 3: exit 3\n$/)
})

test('a run in which nothing was recorded costs only itself', (t) => {
  const { run, write } = packageCopy(t)
  write('server.js', SERVER)
  const { status, stdout, stderr } = run(['tune', '--load', LOAD, '--young', '4', '--old', 'none', '--max-runs', '6', '--json', '--', NODE, 'server.js'],
    { NODE, FAKE_EMPTY_AFTER: '4' })
  assert.equal(status, 1, stderr)
  assert.match(stderr, /young 4: no request was recorded while the load ran; it is left out\n[^]*with V8's own sizes: no request was recorded while the load ran\n$/)
  const { ended, candidates } = JSON.parse(stdout)
  assert.deepEqual([ended, candidates.map(({ runs }) => runs.length)], ['failed', [1, 2, 1]])
})

test('wrong usage exits with 2 before anything is started', (t) => {
  const { cwd, run, write } = packageCopy(t)
  write('server.js', SERVER)
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['--', NODE], /required option '--load <CMD>' not specified/],
    [['--load', 'x'], /missing required argument 'command'/],
    [['--load', 'x', '--young', '3', '--', NODE], /'3' is invalid. Allowed are powers of two from 1 to 1024/],
    [['--load', 'x', '--young', '4,', '--', NODE], /'4,' is invalid/],
    [['--load', 'x', '--old', 'some', '--', NODE], /'some' is invalid. Allowed are whole numbers from 16/],
    [['--load', 'x', '--objective', 'p50', '--', NODE], /Allowed choices are p99\.9, p99, throughput/],
    [['--load', 'x', '--max-runs', '2', '--', NODE, 'server.js'], /--max-runs 2: a single round takes \d+ runs/],
    [['--load', 'x', '--', NODE, '--max_semi_space_size=3', 'server.js'], /sets --max_semi_space_size, which is tried here/],
    [['--load', 'x', '--old', '512', '--', NODE, '--max-old-space-size=300', 'server.js'], /sets --max-old-space-size, and --old tries others/]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = run(['tune', ...args])
    assert.deepEqual([status, stdout], [2, ''], `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
  }
  assert.ok(!fs.existsSync(path.join(cwd, 'flags')))
})

test('a real server, recorded: latencies, collections and memory are measured', (t) => {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-tune-test-'))
  t.after(() => fs.rmSync(cwd, { recursive: true, force: true }))
  fs.writeFileSync(path.join(cwd, 'server.js'), SERVER)
  const sixty = '"$NODE" -e \'(async () => { for (let i = 0; i < 60; i++) await (await fetch(process.env.URL)).text() })()\''
  const { status, stdout, stderr } = spawnSync(NODE, [path.join(__dirname, '../../bin/edgewise.js'), 'tune', '--load', sixty, '--young', '64', '--old', 'none',
    '--max-runs', '3', '--objective', 'p99', '--json', '--', NODE, 'server.js'], { cwd, env: { ...process.env, NODE }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const [first, , large] = JSON.parse(stdout).candidates.map(({ runs }) => runs[0])
  for (const run of [first, large]) {
    assert.ok(run.requests > 5 && run.requests <= 60 && run.requests_per_s > 0, stdout)
    assert.ok(run.latency_ns.p50 > 1e4 && run.latency_ns.p50 <= run.latency_ns.p99 && run.latency_ns.p99 <= run.latency_ns['p99.9'], stdout)
    assert.ok(run.memory_bytes > 20 * MIB && !run.lossy, stdout)
  }
  assert.ok(first.gc_ms_per_s > 0 && large.gc_ms_per_s < first.gc_ms_per_s, 'a young generation of 64 MiB is rarely collected')
})
