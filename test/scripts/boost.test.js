'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { NAMES } = require('../../benchmarks/apps/app')
const { together } = require('../../benchmarks/boost/cell')
const { PROCESSES_PER_ROUND, SERVERS } = require('../../benchmarks/boost/cost')
const { scatter } = require('../../benchmarks/boost/figures')
const { isSlow } = require('../../benchmarks/boost/machine-speed')
const { page } = require('../../benchmarks/boost/page')
const { tailRoutes } = require('../../benchmarks/boost/pilots')
const { PAGES, isWhole, missing, processes, rounds } = require('../../benchmarks/boost/plan')
const { POLICIES, startOf } = require('../../benchmarks/boost/policies')
const { P99, behaviour, meanRow, paretoFrontier, propositions, rowOf } = require('../../benchmarks/boost/summary')
const { LOW, secondsOf, turnsOf } = require('../../benchmarks/boost/turns')
const { between } = require('../../benchmarks/boost/window')

const PROGRAM = path.join(__dirname, '../../benchmarks/boost/index.js')
const MS = 1e6
const OPTIONS = { apps: ['todo', 'blog'], policies: ['low', 'gc', 'gc+tuning'], sections: ['main'], runs: 2, delaysUs: [50], workers: 2 }

const latency = (ms) => ({ mean: ms * MS, p50: ms * MS, p90: ms * MS, p99: ms * MS, p999: ms * MS })

function stats ({ low = 60, mid = 0, high = 40, energy = /** @type {any} */ (1.5), p99 = 9000 } = {}) {
  return {
    description: 'emulated',
    residency_ns: { low, mid, high },
    elapsed_ns: low + mid + high,
    energy: { kind: energy === null ? 'unavailable' : 'modelled', normalised: energy },
    boosts: 3,
    reasons: { gc: { boosts: 3, boosted_ns: high } },
    reaction_ns: { gc: { count: 3, p50: 2000, p99, max: p99 } },
    dropped_signals: 1,
    set_errors: 0
  }
}

function cell (policy, round, ms, energy, more = {}) {
  return {
    section: 'main', app: 'todo', policy, delayUs: 0, workers: 1, round, errors: 0, lagged: false, client: latency(ms), intended: latency(ms), boost: together([stats({ energy })]), ...more
  }
}

function recorded (policy, round, ioMs, latencyMs) {
  const part = (count) => ({ count, io_ns: ioMs * MS, mean_latency_ns: latencyMs * MS })
  return cell(policy, round, latencyMs, 1, { section: 'validation', recorded: { report: { tail: part(1), rest: part(99) } } })
}

const about = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)

test('a policy is compared with static low of the same round', () => {
  const cells = [cell('low', 0, 10, 1), cell('low', 1, 20, 1), cell('gc', 1, 18, 1.2), cell('gc', 0, 9, 1.2), cell('gc', 2, 1, 9)]
  const row = rowOf(cells, 'todo', 'gc')
  about(row.reduction.value, 10)
  about(row.energy.value, 1.2)
  assert.strictEqual(row.reduction.runs, 2, 'a round without its base does not count')
  assert.strictEqual(rowOf(cells, 'todo', 'slo'), undefined)
  const again = [...cells, cell('low-again', 0, 14.4, 1)]
  // Of 10 and 14.4 ms, which are 12 in the geometric mean.
  about(rowOf(again.filter(({ round }) => round === 0), 'todo', 'gc').reduction.value, 25)
  about(rowOf(again, 'todo', 'low-again').reduction.value, -44)
  assert.ok(rowOf([...cells, cell('low', 2, 1, 1)], 'todo', 'gc').reduction.low < row.reduction.low)
})

test('a reduction\'s interval has its ends in order', () => {
  const cells = [0, 1, 2].flatMap((round) => [cell('low', round, 10, 1), cell('gc', round, 8 + round, 1)])
  const { reduction: { value, low, high } } = rowOf(cells, 'todo', 'gc')
  assert.ok(low <= value && value <= high && low < high, `${low} ${value} ${high}`)
})

test('energy that is unavailable stays so', () => {
  const cells = [cell('low', 0, 10, 1), cell('gc', 0, 9, null)]
  assert.strictEqual(rowOf(cells, 'todo', 'gc').energy, null)
  assert.strictEqual(meanRow(cells, ['todo'], 'gc').energy, null)
})

test('the mean is over applications that were all measured', () => {
  const blog = (one) => ({ ...one, app: 'blog' })
  const cells = [cell('low', 0, 10, 1), cell('gc', 0, 8, 1.1), blog(cell('low', 0, 10, 1)), blog(cell('gc', 0, 6, 1.3)), cell('low', 1, 10, 1), cell('gc', 1, 1, 1)]
  const row = meanRow(cells, ['todo', 'blog'], 'gc')
  about(row.reduction.value, 100 * (1 - (Math.sqrt(0.8 * 0.1) + 0.6) / 2))
  about(row.energy.value, (Math.sqrt(1.1) + 1.3) / 2)
  assert.strictEqual(meanRow(cells, ['todo', 'blog', 'chat'], 'gc'), undefined)
  const halved = cells.map((one) => one.policy === 'gc' ? { ...one, client: { ...one.client, p99: 5 * MS } } : one)
  about(meanRow(halved, ['todo', 'blog'], 'gc', 0, P99).reduction.value, 50)
})

test('the Pareto frontier has what nothing beats', () => {
  const point = (name, energy, reduction) => ({ name, energy, reduction })
  const all = [point('high', 2.7, 30), point('low', 1, 0), point('worse', 1.2, 5), point('gc', 1.1, 10), point('same energy', 1.1, 9), point('more, for nothing', 3, 30)]
  assert.deepStrictEqual(paretoFrontier(all).map(({ name }) => name), ['low', 'gc', 'high'])
  assert.deepStrictEqual(paretoFrontier([]), [])
})

test('the propositions are about all requests', () => {
  const [low, high] = propositions([recorded('low', 0, 2, 10), recorded('high', 0, 2, 7)], 'todo')
  about(low.latency.value, 1)
  about(high.io?.value, 1)
  about(high.latency.value, 0.7)
  assert.strictEqual(propositions([recorded('low', 0, 0, 10)], 'todo')[0].io, null, 'without I/O there is no ratio')
})

test('the controllers of a run are one', () => {
  const boost = together([stats({ low: 100, high: 0, energy: 1 }), stats({ low: 0, high: 300, energy: 2, p99: 20000 })])
  about(boost.energy, 1.75)
  assert.deepStrictEqual(boost.residencyNs, { low: 100, mid: 0, high: 300 })
  assert.deepStrictEqual(boost.reasons, { gc: { boosts: 6, boosted_ns: 300 } })
  assert.deepStrictEqual(boost.reactionNs.gc, { count: 6, p50: 2000, p99: 20000, max: 20000 })
  assert.strictEqual(boost.dropped, 2)
  assert.deepStrictEqual(together([stats(), stats({ energy: null })]).energy, null)
  about(behaviour([{ policy: 'gc', boost }], 'gc').shares.high, 0.75)
})

test('what a controller did before the load does not count', () => {
  const [first, last] = [stats({ low: 100, high: 0, energy: 1 }), stats({ low: 150, high: 50, energy: 1.25 })]
  const [one, ...others] = between(new Map([[1, first]]), new Map([[1, { ...last, boosts: 5 }], [2, last]]))
  assert.strictEqual(others.length, 0, 'a worker that came later')
  assert.deepStrictEqual(one.residency_ns, { low: 50, mid: 0, high: 50 })
  assert.strictEqual(one.elapsed_ns, 100)
  assert.strictEqual(one.boosts, 2)
  assert.deepStrictEqual(one.reasons, { gc: { boosts: 0, boosted_ns: 50 } })
  about(one.energy.normalised, 1.5)
})

test('Adrenaline knows the routes that are tail more often than others', () => {
  const often = { 'GET /a': { requests: 900, tail: 2 }, 'GET /b': { requests: 50, tail: 5 }, 'GET /c': { requests: 50, tail: 3 }, '(unknown route)': { requests: 1, tail: 1 } }
  assert.deepStrictEqual(tailRoutes(often), ['GET /b', 'GET /c'])
  assert.deepStrictEqual(tailRoutes({ 'GET /a': { requests: 60, tail: 6 }, 'GET /b': { requests: 40, tail: 5 } }), ['GET /b'], 'the one that comes closest')
  assert.deepStrictEqual(tailRoutes({ 'GET /a': { requests: 1, tail: 0 } }), [])
})

test('every variant of a round runs once, in another order each round', () => {
  const [first, second] = rounds(OPTIONS, { todo: ['--flag'] })
  const policies = (runs, app) => runs.filter((run) => run.app === app).map(({ policy }) => policy)
  assert.deepStrictEqual(policies(first, 'todo'), ['low', 'gc'])
  assert.deepStrictEqual(policies(second, 'todo'), ['gc', 'low'])
  const [tuned] = rounds({ ...OPTIONS, sections: ['tuning'] }, { todo: ['--flag'] })
  assert.deepStrictEqual(policies(tuned, 'todo'), ['low', 'gc+tuning'])
  assert.deepStrictEqual(policies(tuned, 'blog'), [], 'no flags are known for it')
})

test('the base measured again is far from the base', () => {
  const policies = ['low', 'low-again', 'mid', 'high', 'gc', 'queue', 'slo']
  const [first] = rounds({ ...OPTIONS, apps: ['todo'], policies }, {})
  assert.deepStrictEqual(first.map(({ policy }) => policy), ['low', 'mid', 'high', 'low-again', 'gc', 'queue', 'slo'])
})

test('sections have their own variants', () => {
  const of = (section) => rounds({ ...OPTIONS, sections: [section], runs: 1 }, {})[0]
  assert.deepStrictEqual([...new Set(of('cluster').map(({ app }) => app))], ['todo'], 'blog has no cluster mode')
  assert.ok(of('cluster').every(({ workers }) => workers === 2))
  assert.ok(of('validation').every((run) => run.recorded))
  assert.deepStrictEqual(of('sensitivity').filter(({ app }) => app === 'todo').map(({ policy, delayUs }) => [policy, delayUs]), [['low', 0], ['combined', 0], ['combined', 50], ['slo', 0], ['slo', 50]])
})

test('policies take turns in one process, by application, where they differ by no flag of Node.js', () => {
  const [first] = rounds({ ...OPTIONS, sections: ['main', 'tuning', 'sensitivity'] }, { todo: ['--flag'] })
  assert.deepStrictEqual(processes(first).map((runs) => runs.map(({ section, app, policy }) => `${section} ${app} ${policy}`)), [
    ['main todo low', 'main todo gc'],
    ['main blog low', 'main blog gc'],
    ['tuning todo low'],
    ['tuning todo gc+tuning'],
    ...['todo', 'blog'].map((app) => ['low', 'combined', 'combined', 'slo', 'slo'].map((policy) => `sensitivity ${app} ${policy}`))
  ])
})

test('a turn is of enough requests for its p99.9, after as many as a policy needs', () => {
  assert.deepStrictEqual(secondsOf({ ratePerS: 1000, turn: 6 }), { settleS: 2, turnS: 6 })
  assert.deepStrictEqual(secondsOf({ ratePerS: 100, turn: 6 }), { settleS: 3, turnS: 10 })
  assert.deepStrictEqual(secondsOf({ ratePerS: 10, turn: 6 }), { settleS: 5, turnS: 100 })
})

test('static low has its turn before and after every two policies, and last', () => {
  assert.deepStrictEqual(turnsOf(0), [LOW])
  assert.deepStrictEqual(turnsOf(1), [LOW, 0, LOW])
  assert.deepStrictEqual(turnsOf(4), [LOW, 0, 1, LOW, 2, 3, LOW])
  assert.deepStrictEqual(turnsOf(3), [LOW, 0, 1, LOW, 2, LOW])
})

test('a turn is compared with the low turns of its process', () => {
  const turn = (ms) => ({ client: latency(ms), intended: latency(ms), boost: together([stats({ energy: 1 })]) })
  const cells = [
    cell('low', 0, 1000, 1),
    cell('gc', 0, 9, 1.2, { bases: [turn(10), turn(24), turn(7.2)] })
  ]
  about(rowOf(cells, 'todo', 'gc').reduction.value, 25) // Of 12, the geometric mean.
  about(rowOf(cells, 'todo', 'low').reduction.value, 0)
})

test('a turn of a slow machine is left out where there are others', () => {
  const slow = { turns: 1, slow: 1 }
  const turn = (ms, more = {}) => ({ client: latency(ms), intended: latency(ms), boost: together([stats({ energy: 1 })]), turns: 1, slow: 0, ...more })
  const reduction = (...cells) => rowOf(cells, 'todo', 'gc').reduction
  const [fast, besideSlow, own] = [
    cell('gc', 0, 9, 1, { bases: [turn(10), turn(10)], turns: 1, slow: 0 }),
    cell('gc', 0, 9, 1, { bases: [turn(10), turn(100, slow)], turns: 1, slow: 0 }),
    cell('gc', 1, 90, 1, { bases: [turn(10), turn(10)], ...slow })
  ]
  about(reduction(besideSlow).value, 10)
  about(reduction(fast, own).value, 10)
  assert.strictEqual(reduction(fast, own).runs, 1)
  about(reduction(own).value, -800) // There is nothing else.
})

test('what a file has is not measured again', () => {
  const [runs] = rounds(OPTIONS, {})
  assert.deepStrictEqual(missing(runs, runs.slice(1)), runs.slice(0, 1))
  assert.strictEqual(missing(runs, runs.map((run) => ({ ...run, section: 'sensitivity' }))).length, runs.length)
})

test('only a page of which all was measured is published', () => {
  const plan = { delaysUs: [50], workers: 2 }
  const [results, variants] = PAGES.map(({ sections }) => sections)
  const of = (sections) => rounds({ ...OPTIONS, ...plan, apps: NAMES, policies: POLICIES.map(({ name }) => name), sections, runs: 3 }, {}).flat()
  const all = of(results)
  const costs = SERVERS.flatMap((server) => Array.from({ length: 3 * PROCESSES_PER_ROUND }, (_, round) => ({ server, round, blocks: [] })))
  assert.ok(isWhole({ plan, cells: all, costs, fidelity: {} }, {}, results))
  assert.ok(!isWhole({ plan, cells: all.slice(1), costs, fidelity: {} }, {}, results))
  assert.ok(!isWhole({ plan, cells: all, costs: costs.slice(1), fidelity: {} }, {}, results))
  assert.ok(!isWhole({ plan, cells: all, costs }, {}, results))
  assert.ok(!isWhole({ plan, cells: all, costs, fidelity: {} }, {}, variants))
  assert.ok(isWhole({ plan, cells: of(variants), costs: [], fidelity: {} }, {}, variants))
})

test('a machine is slow by what it has done at its fastest; a run whose speed is not known is none', () => {
  assert.ok(isSlow(84, [undefined, 100, 84]))
  assert.ok(!isSlow(86, [100, 86]))
  assert.ok(!isSlow(undefined, [100]))
  const slowed = results()
  slowed.cells[0].speed = 100
  slowed.cells[1].speed = 50
  assert.match(page(slowed), /In 1 of \d+ runs the processor did less than 85 %/)
  assert.doesNotMatch(page(results()), /the processor did less|turns the application/)
  Object.assign(slowed.cells[1], { turns: 1, slow: 1 })
  Object.assign(slowed.cells[0], { turns: 2, slow: 0 })
  assert.match(page(slowed), /In 1 of 3 turns the application's main thread answered less than 85 %/)
})

test('a policy is started with what it needs to know, and nothing else', () => {
  const known = { routes: ['GET /a', 'POST /b'], targetsMs: { gc: 12.3456, combined: 7 }, flags: ['--flag'] }
  const { env, nodeArgs } = startOf('adrenaline', known, { delayUs: 50 })
  assert.strictEqual(env.EDGEWISE_BOOST_ROUTES, 'GET /a,POST /b')
  assert.strictEqual(env.EDGEWISE_BOOST_DELAY_US, '50')
  assert.strictEqual(env.EDGEWISE_ENABLED, '0')
  assert.ok(!('EDGEWISE_BOOST_TARGET_MS' in env) && !('EDGEWISE_BOOST_DOMAIN' in env))
  assert.strictEqual(nodeArgs[0], '--require')
  assert.strictEqual(startOf('rubik', known).env.EDGEWISE_BOOST_TARGET_MS, '12.346')
  assert.strictEqual(startOf('rubik-combined', known).env.EDGEWISE_BOOST_TARGET_MS, '7.000')
  assert.strictEqual(startOf('combined+tuning', known).nodeArgs[0], '--flag')
  const both = startOf('low', known, { recorded: true })
  assert.deepStrictEqual([both.nodeArgs, both.env.EDGEWISE_ENABLED], [[], undefined], 'measure() requires the register')
})

function results () {
  const fidelity = {
    description: 'emulated',
    call_ns: 300,
    window_us: 1000,
    windows: 10,
    levels: [{ level: 'low', khz: 2.6e6, ideal: 0.65, rate: 0.66, p1: 0.6, p50: 0.65, p99: 0.7 }],
    transitions: [{ delay_us: 50, up_ns: { count: 3, p50: 5e4, p99: 6e4, max: 7e4 }, down_ns: { count: 3, p50: 1e5, p99: 2e5, max: 3e5 } }]
  }
  const cells = [
    cell('low', 0, 10, 1), cell('gc', 0, 8, 1.1),
    cell('low', 0, 10, 1, { section: 'tuning' }), cell('gc+tuning', 0, 7, 1.2, { section: 'tuning' }),
    cell('low', 0, 10, 1, { section: 'cluster', workers: 2 }), cell('queue', 0, 5, 1.3, { section: 'cluster', workers: 2 }),
    recorded('low', 0, 2, 10), recorded('high', 0, 2, 7),
    cell('low', 0, 10, 1, { section: 'sensitivity' }), cell('slo', 0, 9, 1.05, { section: 'sensitivity', delayUs: 500 }),
    cell('combined', 0, 9, 1.05, { section: 'reaction', actuator: 'log' })
  ]
  return {
    plan: { seconds: 1, turn: 1, warmup: 1, load: 0.6, delaysUs: [50, 500], workers: 2 },
    machine: { cpu: 'a processor', cpus: 2, memoryGb: 4, kernel: '6', node: 'v20' },
    apps: ['todo'],
    rates: { todo: { ratePerS: 100 }, 'todo x2': { ratePerS: 90 } },
    pilots: { todo: { routes: ['GET /b'], targetsMs: { gc: 8 } } },
    fidelity,
    reaction: { head: { count: 2000, p50: 2.16e4, p99: 3.86e4, max: 2e5 } },
    costs: [0, 1].map((round) => ({ server: 'hello', round, blocks: [{ offUs: 10, ratio: 1.002, control: false, sleeps: 0 }, { offUs: 10, ratio: 1, control: true, sleeps: 3 }] })),
    cells
  }
}

test('the page has the paper\'s tables, with emulated and modelled said', () => {
  const text = page(results(), ['figure.svg'])
  assert.match(text, /\| `gc` \| GC-Boost \| 20\.0 % \| 20\.0 % \| 1\.100 \| 13\.56 %, 1\.03 \|/)
  assert.match(text, /Pareto-optimal among these: `low`, `gc`\./)
  assert.match(text, /\| todo \| `queue` \| 50\.0 % .*\| 7\.9 %, 1\.07 \|/)
  assert.match(text, /\| todo \| high \| 2\.000 \| 1\.000 \| 7\.000 \| 0\.700 \|/)
  assert.match(text, /\| `slo` \| 500 µs \| 10\.0 % /)
  assert.match(text, /\| low \| 2\.6 GHz \| 0\.650 \| 0\.660 \| 1\.5 % \|/)
  assert.match(text, /\| 50 µs \| 3 \| 50\.0, 60\.0, 70\.0 \| 100\.0, 200\.0, 300\.0 \|/)
  assert.match(text, /\| hello \| 2 \| 10\.00 \| 0\.00 % \[0\.00 %, 0\.00 %\] \| 0\.20 % \[.*\] \| 1\.5 \|/)
  assert.match(text, /\| todo \| `gc\+tuning` \| .* \| 30\.0 % \| 1\.200 \| 17\.23 %, 1\.09 \|/)
  assert.match(text, /\| todo \| \d+\.\d \| 2\.0, 9\.0 \(9\.0\) \| +\| +\|/)
  assert.match(text, /\| an event passes its threshold \| 2000 \| 21\.6 \| 38\.6 \| 200\.0 \|/)
  assert.match(text, /!\[.*\]\(figure\.svg\)/)
  assert.match(text, /Adrenaline boosts in todo: `GET \/b`/)
  assert.match(text, /\*emulated\*.*\*modelled\*/s)
})

test('a published page has its sections and no others, and the rates of these', () => {
  const [first, second] = PAGES.map((one) => page(results(), [], one))
  for (const heading of ['Tail and energy', 'How soon a boost comes', 'What it costs']) {
    assert.match(first, new RegExp(`^## ${heading}`, 'm'))
    assert.doesNotMatch(second, new RegExp(`^## ${heading}`, 'm'))
  }
  for (const heading of ['Cluster', 'Validation', 'How long a transition takes']) {
    assert.match(second, new RegExp(`^## ${heading}`, 'm'))
    assert.doesNotMatch(first, new RegExp(`^## ${heading}`, 'm'))
  }
  assert.match(first, /low frequency: todo 100\/s\./)
  assert.match(second, /low frequency: todo 100\/s, todo x2 90\/s\./)
  assert.doesNotMatch(second, /Adrenaline boosts in/)
})

test('every run, also one that finds a target, is of enough requests for its p99.9', async (t) => {
  const seconds = []
  t.mock.method(require('../../benchmarks/results/cell'), 'measure', async (app, variant, settings, { onServing, onLoaded }) => {
    seconds.push(settings.seconds)
    for (const look of [onServing, onLoaded]) await look({ pid: process.pid })
    return {}
  })
  delete require.cache[require.resolve('../../benchmarks/boost/cell')]
  const { measureRun } = require('../../benchmarks/boost/cell')
  const run = { section: 'pilot', app: 'blog', policy: 'gc', actuator: 'log', delayUs: 0, workers: 1, recorded: false, round: -1 }
  const { signal } = new AbortController()
  for (const ratePerS of [64, 1000]) {
    // Nothing boosts in this process.
    await assert.rejects(measureRun(run, {}, { ratePerS, seconds: 12, warmup: 3, signal }), /does not say that it boosts/)
  }
  assert.deepStrictEqual(seconds, [32, 12])
})

test('an interruption ends the section cost as well', async (t) => {
  const interruption = new AbortController()
  t.mock.method(require('../../benchmarks/overhead/install'), 'installServers', async () => '')
  const measured = t.mock.method(require('../../benchmarks/boost/alternation'), 'measureAlternation', async () => {
    interruption.abort(new Error('interrupted'))
    return []
  })
  delete require.cache[require.resolve('../../benchmarks/boost/cost')]
  const { measureCosts } = require('../../benchmarks/boost/cost')
  await assert.rejects(measureCosts({ costs: [] }, { runs: 1, signal: interruption.signal }, () => {}), /interrupted/)
  assert.strictEqual(measured.mock.callCount(), 1)
})

test('the picture\'s axes say what is emulated and what modelled', () => {
  const { layer } = scatter([{ name: 'gc', energy: 1.1, reduction: 20 }])
  assert.match(layer[0].encoding.x.title, /modelled/)
  assert.match(layer[0].encoding.y.title, /emulated/)
  assert.strictEqual(layer[1].data.values.length, 1 + 6, 'the paper\'s points are beside ours')
})

test('a file of results becomes a page without measuring', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-boost-test-'))
  try {
    const file = path.join(folder, 'results.json')
    fs.writeFileSync(file, JSON.stringify(results()))
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, '--from-json', file], { encoding: 'utf8' })
    assert.strictEqual(status, 0, stderr)
    assert.match(stdout, /# Boosting, measured on an emulated frequency/)
    assert.match(stderr, /boost-results\.md is left as it is[^]*boost-variants\.md is left as it is/)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

test('nonsense flags are named', () => {
  for (const [args, said] of [
    [['--apps', 'todo,nope'], /--apps nope: allowed are etherpad/],
    [['--policies', 'gc,nope'], /--policies nope: allowed are low/],
    [['--sections', ''], /--sections : allowed are main/],
    [['--delays', '50,x'], /--delays x: must be a number of microseconds/],
    [['--load', '0'], /--load 0: must be a number from 0\.01 to 2/],
    [['--resume'], /--resume goes on with a file/],
    [['--from-json', 'a', '--json', 'b'], /--json has nothing to write/],
    [['extra'], /'extra': no such argument/]
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...(args)], { encoding: 'utf8' })
    assert.strictEqual(status, 2, stderr)
    assert.match(stderr, /** @type {RegExp} */ (said))
  }
})
