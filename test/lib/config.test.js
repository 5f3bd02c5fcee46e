'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { VARIABLES, readConfig, readOptions } = require('../../lib/config')

const PLACE = { pid: 42, cwd: '/srv/app' }
const read = (/** @type {NodeJS.ProcessEnv} */ env) => readConfig(env, PLACE)

const DEFAULTS = {
  out: '/srv/app/edgewise-42',
  mode: 'stream',
  maxMb: 1024,
  causality: 'promises',
  sloMs: null,
  enabled: true,
  ringRecords: 131072,
  watcherUs: 100,
  offCpu: true,
  stacksHz: 0,
  burst: 0,
  stallMs: null,
  wholePaths: false,
  service: null,
  boost: null,
  boostActuator: 'auto',
  boostQueueFactor: 2.5,
  boostHeadFactor: 2.5,
  boostTargetMs: null,
  boostPercentile: 99,
  boostRoutes: null,
  boostMhz: null,
  boostDelayUs: 0,
  boostDomain: null,
  boostSocket: '/run/edgewise/boostd.sock',
  boostStats: null
}

/** @type {Record<string, { key: string, good: [string, any][], bad: string[] }>} */
const CASES = {
  EDGEWISE_OUT: { key: 'out', good: [['/tmp/t', '/tmp/t'], ['./t', '/srv/app/t'], ['a b', '/srv/app/a b']], bad: [] },
  EDGEWISE_MODE: { key: 'mode', good: [['stream', 'stream'], ['flight', 'flight']], bad: ['Stream', 'fligth', ' flight', '1'] },
  EDGEWISE_MAX_MB: { key: 'maxMb', good: [['1', 1], ['0.5', 0.5], ['1e3', 1000]], bad: ['0', '-1', 'many', '1e999', '1e15', '0x10', 'Infinity', '5MB', ' 5'] },
  EDGEWISE_CAUSALITY: { key: 'causality', good: [['events', 'events'], ['promises', 'promises']], bad: ['promise', 'all'] },
  EDGEWISE_SLO_MS: { key: 'sloMs', good: [['250', 250], ['0.5', 0.5]], bad: ['0', '-3', 'NaN', '1s', '1e300'] },
  EDGEWISE_ENABLED: { key: 'enabled', good: [['0', false], ['1', true]], bad: ['true', 'no', '2'] },
  EDGEWISE_RING_RECORDS: { key: 'ringRecords', good: [['2', 2], ['1024', 1024], ['4194304', 4194304]], bad: ['1', '0', '3', '1000', '8388608', '-2', '1.5'] },
  EDGEWISE_WATCHER_US: { key: 'watcherUs', good: [['0', 0], ['20', 20], ['10000', 10000]], bad: ['19', '10001', '50.5', '-1', 'off'] },
  EDGEWISE_OFF_CPU: { key: 'offCpu', good: [['0', false], ['1', true]], bad: ['yes', '2'] },
  EDGEWISE_STALL_MS: { key: 'stallMs', good: [['5', 5], ['250', 250], ['1500.5', 1500.5]], bad: ['0', '4', '-1', 'yes', '1e400'] },
  EDGEWISE_STACKS: { key: 'stacksHz', good: [['0', 0], ['100', 100], ['1000', 1000]], bad: ['yes', '-1', '1001', '0.5', '1e400'] },
  EDGEWISE_BURST: { key: 'burst', good: [['0', 0], ['32/128', 96], ['32ms/128ms', 96], ['1/2', 1], ['512/4096', 3584], ['96', 96], ['5', 5]], bad: ['-1', '128/32', '128/128', '30/128', '32/100', '0/128', '1.5/4', '32s/128s', '1e400', '99999999999999'] },
  EDGEWISE_PATHS: { key: 'wholePaths', good: [['0', false], ['1', true]], bad: ['yes', '2'] },
  EDGEWISE_BOOST: { key: 'boost', good: [['gc', 'gc'], ['gc,queue', 'gc,queue'], ['slo', 'slo']], bad: ['GC', 'gc,', 'gc,gc', 'turbo', 'gc queue'] },
  EDGEWISE_BOOST_ACTUATOR: { key: 'boostActuator', good: [['emulated', 'emulated'], ['none', 'none']], bad: ['turbo', 'CPUFREQ', '1'] },
  EDGEWISE_BOOST_QUEUE_FACTOR: { key: 'boostQueueFactor', good: [['1', 1], ['3.5', 3.5], ['100', 100]], bad: ['0.9', '101', '-2', 'two'] },
  EDGEWISE_BOOST_HEAD_FACTOR: { key: 'boostHeadFactor', good: [['1', 1], ['2', 2], ['100', 100]], bad: ['0.5', '100.5', '0', 'NaN'] },
  EDGEWISE_BOOST_TARGET_MS: { key: 'boostTargetMs', good: [['20', 20], ['0.5', 0.5]], bad: ['0', '-1', '5ms', '1e300'] },
  EDGEWISE_BOOST_PERCENTILE: { key: 'boostPercentile', good: [['50', 50], ['99.9', 99.9]], bad: ['49', '100', 'p99'] },
  EDGEWISE_BOOST_ROUTES: { key: 'boostRoutes', good: [['GET /', ['GET /']], ['GET /a/:id, POST /b', ['GET /a/:id', 'POST /b']]], bad: ['/a', 'get /', 'GET', 'GET /,'] },
  EDGEWISE_BOOST_MHZ: { key: 'boostMhz', good: [['2600,4000', [2600, 3300, 4000]], ['2600,3000,4000', [2600, 3000, 4000]]], bad: ['2600', '4000,2600', '2600,2600', '0,4000', '1,2,3,4', '2.5,4', '2600,40000'] },
  EDGEWISE_BOOST_DELAY_US: { key: 'boostDelayUs', good: [['0', 0], ['500', 500], ['100000', 100000]], bad: ['-1', '100001', '5ms'] },
  EDGEWISE_SERVICE: { key: 'service', good: [['cart', 'cart'], ['the shop', 'the shop']], bad: ['\u0085', 'a\u009fb'] },
  EDGEWISE_BOOST_DOMAIN: { key: 'boostDomain', good: [['one', 'one'], ['a-b_1', 'a-b_1']], bad: ['a b', '../x', 'a/b'] },
  EDGEWISE_BOOST_SOCKET: { key: 'boostSocket', good: [['/tmp/s', '/tmp/s'], ['s', '/srv/app/s']], bad: [] },
  EDGEWISE_BOOST_STATS: { key: 'boostStats', good: [['/tmp/b', '/tmp/b'], ['b', '/srv/app/b']], bad: [] }
}

test('nothing set: the defaults, and no problem', () => {
  assert.deepEqual(read({}), { config: DEFAULTS, problems: [] })
  assert.deepEqual(read({ HOME: '/', EDGEWISE: '1' }), { config: DEFAULTS, problems: [] })
})

test('every variable has cases here', () => {
  assert.deepEqual(VARIABLES.map(({ name }) => name).sort(), Object.keys(CASES).sort())
  for (const { name, key } of VARIABLES) assert.equal(key, CASES[name].key)
})

for (const [name, { key, good, bad }] of Object.entries(CASES)) {
  test(`${name}: what is allowed is taken`, () => {
    // A limit in ms is for the flight recorder: without it, it is a problem of its own.
    const around = name === 'EDGEWISE_SLO_MS' ? { EDGEWISE_MODE: 'flight' } : {}
    for (const [text, value] of good) {
      const { config, problems } = read({ ...around, [name]: text })
      assert.deepEqual(/** @type {any} */ (config)[key], value)
      assert.deepEqual(problems, [], `${name}=${text}`)
    }
  })

  test(`${name}: an empty value is the same as none`, () => {
    assert.deepEqual(read({ [name]: '' }), { config: DEFAULTS, problems: [] })
  })

  for (const text of bad) {
    test(`${name}=${text}: named, with what is allowed, and the default used`, () => {
      const { config, problems } = read({ [name]: text })
      assert.deepEqual(config, DEFAULTS)
      assert.equal(problems.length, 1)
      assert.ok(problems[0].startsWith(`${name}="${text}" is not allowed: allowed is `), problems[0])
      const { values } = /** @type {any} */ (VARIABLES.find((variable) => variable.name === name))
      assert.ok(problems[0].includes(values), problems[0])
      const used = /** @type {any} */ (DEFAULTS)[key] === null ? 'it stays unset' : `using ${typeof /** @type {any} */ (DEFAULTS)[key] === 'boolean' ? Number(/** @type {any} */ (DEFAULTS)[key]) : /** @type {any} */ (DEFAULTS)[key]}`
      assert.ok(problems[0].endsWith(used), problems[0])
    })
  }
}

test('the quota\'s default follows the mode, also beside a bad value', () => {
  assert.equal(read({ EDGEWISE_MODE: 'flight' }).config.maxMb, 64)
  const { config, problems } = read({ EDGEWISE_MODE: 'flight', EDGEWISE_MAX_MB: 'lots' })
  assert.equal(config.maxMb, 64)
  assert.deepEqual(problems, ['EDGEWISE_MAX_MB="lots" is not allowed: allowed is a number > 0, at most 1000000000; using 64'])
})

test('a limit without the flight recorder is a problem', () => {
  const { config, problems } = read({ EDGEWISE_SLO_MS: '100' })
  assert.equal(config.sloMs, 100)
  assert.equal(problems.length, 1)
  assert.match(problems[0], /EDGEWISE_SLO_MS="100" has no effect with EDGEWISE_MODE=stream/)
})

test('unknown names: a guess when one is near, else what is known', () => {
  assert.deepEqual(read({ EDGEWISE_MAXMB: '5' }).problems, ['EDGEWISE_MAXMB is not a variable of edgewise: did you mean EDGEWISE_MAX_MB?'])
  assert.deepEqual(read({ EDGEWISE_SLO: '5' }).problems, ['EDGEWISE_SLO is not a variable of edgewise: did you mean EDGEWISE_SLO_MS?'])
  const [problem] = read({ EDGEWISE_QQQQ: '5' }).problems
  for (const { name } of VARIABLES) assert.ok(problem.includes(name), problem)
})

test('a long or multi-line value is one short line', () => {
  const [problem] = read({ EDGEWISE_MODE: 'a\nb'.repeat(10_000) }).problems
  assert.ok(problem.length < 300)
  assert.ok(!problem.includes('\n'))
})

test('options win over variables, and defaults follow them', () => {
  const env = { EDGEWISE_SLO_MS: '9', EDGEWISE_CAUSALITY: 'events', EDGEWISE_RING_RECORDS: '3' }
  assert.deepEqual(readOptions({}, env, PLACE), { ...DEFAULTS, sloMs: 9, causality: 'events' })
  const given = { out: 'rel', mode: 'flight', maxMb: undefined, sloMs: null, watcherUs: 0 }
  assert.deepEqual(readOptions(given, env, PLACE), { ...DEFAULTS, out: '/srv/app/rel', mode: 'flight', maxMb: 64, sloMs: null, causality: 'events', watcherUs: 0 })
  assert.equal(readOptions({ mode: 'flight' }, { EDGEWISE_MAX_MB: '5' }, PLACE).maxMb, 5)
  assert.equal(readOptions({ maxMb: 0.01 }, {}, PLACE).maxMb, 0.01)
})

test('an option that is not allowed is named, with its value and what is allowed', () => {
  /** @type {[any, RegExp][]} */
  const cases = [
    [{ mode: 'turbo' }, /: mode is "turbo"; stream, flight is allowed$/],
    [{ maxMb: 1e15 }, /: maxMb is 1000000000000000; a number > 0, at most 1000000000 is allowed$/],
    [{ maxMb: '64' }, /: maxMb is "64"; a number > 0/],
    [{ maxMb: NaN }, /: maxMb is NaN; /],
    [{ maxMb: null }, /: maxMb is null; /],
    [{ sloMs: -1 }, /: sloMs is -1; a number > 0, at most 1000000000 is allowed$/],
    [{ watcherUs: 5 }, /: watcherUs is 5; 0, or a whole number/],
    [{ out: '' }, /: out is ""; a directory is allowed$/],
    [{ out: 5 }, /: out is 5; a directory is allowed$/],
    [{ maxMB: 5 }, /: there is no option "maxMB"; known are out, mode, maxMb, causality, sloMs, ringRecords, watcherUs, offCpu, stacksHz, burst, stallMs, wholePaths, service$/],
    [{ enabled: true }, /: there is no option "enabled"/]
  ]
  for (const [options, message] of cases) {
    assert.throws(() => readOptions(options, {}, PLACE), { name: 'TypeError', message })
  }
})

test('a working directory that was removed is not asked for', () => {
  const { config, problems } = readConfig({ EDGEWISE_OUT: 'rel', EDGEWISE_BOOST_SOCKET: '/tmp/s', EDGEWISE_BOOST_STATS: './b' }, { cwd: '.', pid: 42 })
  assert.deepEqual([config.out, config.boostSocket, config.boostStats, problems], ['rel', '/tmp/s', 'b', []])
  const cwd = process.cwd
  process.cwd = () => { throw new Error('ENOENT: uv_cwd') }
  try {
    assert.equal(readConfig({ EDGEWISE_OUT: 'rel' }).config.out, 'rel')
  } finally {
    process.cwd = cwd
  }
})

test('docs/environment.md has the same table', () => {
  const file = path.join(__dirname, '../../docs/environment.md')
  const text = fs.readFileSync(file, 'utf8')
  const rows = text.split('\n')
    .filter((line) => /^\|\s*`EDGEWISE_/.test(line))
    .map((line) => line.split('|').slice(1, -1).map((cell) => cell.replaceAll('`', '').trim()))
  for (const variable of VARIABLES) {
    const row = rows.find(([name]) => name === variable.name)
    assert.ok(row, `docs/environment.md lacks ${variable.name}`)
    assert.deepEqual(row, [variable.name, variable.values, variable.default, variable.text.replaceAll('`', '')])
  }
  assert.deepEqual(rows.map(([name]) => name).filter((name) => !VARIABLES.some((variable) => variable.name === name)), [])
})
