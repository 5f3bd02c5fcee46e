'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { VARIABLES, readConfig } = require('../../lib/config')

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
  watcherUs: 100
}

/** @type {Record<string, { key: string, good: [string, any][], bad: string[] }>} */
const CASES = {
  EDGEWISE_OUT: { key: 'out', good: [['/tmp/t', '/tmp/t'], ['./t', '/srv/app/t'], ['a b', '/srv/app/a b']], bad: [] },
  EDGEWISE_MODE: { key: 'mode', good: [['stream', 'stream'], ['flight', 'flight']], bad: ['Stream', 'fligth', ' flight', '1'] },
  EDGEWISE_MAX_MB: { key: 'maxMb', good: [['1', 1], ['0.5', 0.5], ['1e3', 1000]], bad: ['0', '-1', 'many', '1e999', '0x10', 'Infinity', '5MB', ' 5'] },
  EDGEWISE_CAUSALITY: { key: 'causality', good: [['events', 'events'], ['promises', 'promises']], bad: ['promise', 'all'] },
  EDGEWISE_SLO_MS: { key: 'sloMs', good: [['250', 250], ['0.5', 0.5]], bad: ['0', '-3', 'NaN', '1s'] },
  EDGEWISE_ENABLED: { key: 'enabled', good: [['0', false], ['1', true]], bad: ['true', 'no', '2'] },
  EDGEWISE_RING_RECORDS: { key: 'ringRecords', good: [['2', 2], ['1024', 1024], ['4194304', 4194304]], bad: ['1', '0', '3', '1000', '8388608', '-2', '1.5'] },
  EDGEWISE_WATCHER_US: { key: 'watcherUs', good: [['0', 0], ['20', 20], ['10000', 10000]], bad: ['19', '10001', '50.5', '-1', 'off'] }
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
      const used = name === 'EDGEWISE_SLO_MS' ? 'it stays unset' : `using ${key === 'enabled' ? 1 : /** @type {any} */ (DEFAULTS)[key]}`
      assert.ok(problems[0].endsWith(used), problems[0])
    })
  }
}

test('the quota\'s default follows the mode, also beside a bad value', () => {
  assert.equal(read({ EDGEWISE_MODE: 'flight' }).config.maxMb, 64)
  const { config, problems } = read({ EDGEWISE_MODE: 'flight', EDGEWISE_MAX_MB: 'lots' })
  assert.equal(config.maxMb, 64)
  assert.deepEqual(problems, ['EDGEWISE_MAX_MB="lots" is not allowed: allowed is a number > 0; using 64'])
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

test('reserved names say so', () => {
  const { problems } = read({ EDGEWISE_BOOST_POLICY: 'gc' })
  assert.deepEqual(problems, ['EDGEWISE_BOOST_POLICY is reserved: boosting the processor is not available in this version; it is ignored'])
})

test('a long or multi-line value is one short line', () => {
  const [problem] = read({ EDGEWISE_MODE: 'a\nb'.repeat(10_000) }).problems
  assert.ok(problem.length < 300)
  assert.ok(!problem.includes('\n'))
})

test('README has the same table', () => {
  const file = path.join(__dirname, '../../README.md')
  const text = fs.readFileSync(file, 'utf8')
  const rows = text.split('\n')
    .filter((line) => /^\|\s*`EDGEWISE_/.test(line))
    .map((line) => line.split('|').slice(1, -1).map((cell) => cell.replaceAll('`', '').trim()))
  for (const variable of VARIABLES) {
    const row = rows.find(([name]) => name === variable.name)
    assert.ok(row, `README's table lacks ${variable.name}`)
    assert.deepEqual(row, [variable.name, variable.values, variable.default, variable.text.replaceAll('`', '')])
  }
  assert.deepEqual(rows.map(([name]) => name).filter((name) => !VARIABLES.some((variable) => variable.name === name)), [])
})
