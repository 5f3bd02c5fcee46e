'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { NAMES } = require('../../benchmarks/apps/app')
const { readArguments } = require('../../benchmarks/findings/arguments')
const { FINDINGS } = require('../../benchmarks/findings/findings')
const { VARIANTS, page } = require('../../benchmarks/findings/page')

const ROOT = path.join(__dirname, '../..')
const PROGRAM = path.join(ROOT, 'benchmarks/findings/index.js')
const MS = 1e6

const findingOf = (app) => FINDINGS.find((finding) => finding.app === app)

function cell (app, variant, round, ms) {
  const client = { p50: ms * MS, p99: 5 * ms * MS, p999: 10 * ms * MS }
  return { app, variant, round, blamedNs: 3 * ms * MS, client, errors: round }
}

/** Two rounds of each finding: the second is twice as slow, the change saves a quarter. */
function results (apps) {
  return {
    plan: { seconds: 9, warmup: 4, load: 0.5 },
    machine: { cpu: 'a processor', cpus: 2, memoryGb: 4, kernel: '6', node: 'v20' },
    rates: Object.fromEntries(apps.map((app) => [app, 123])),
    cells: [1, 0].flatMap((round) => apps.flatMap((app) => VARIANTS.map((variant) =>
      cell(app, variant, round, (round + 1) * (variant === 'changed' ? 0.75 : 1)))))
  }
}

test('every application has one finding, with a change that exists', () => {
  assert.deepStrictEqual(FINDINGS.map(({ app }) => app), NAMES)
  for (const { app, nodeArgs = [], env = {} } of FINDINGS) {
    assert.ok(nodeArgs.length + Object.keys(env).length > 0, app)
    for (const file of nodeArgs.filter((arg) => arg.startsWith('/'))) assert.ok(fs.existsSync(file), file)
  }
})

test('the page of a pad is rendered once, for readers and for writers; others each time', (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-pad-'))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  const folder = path.join(root, 'src/node/eejs')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'index.js'), 'let made = 0; exports.require = (name, args) => [name, args.isReadOnly, ++made].join(" ")')
  fs.writeFileSync(path.join(root, 'asks.js'), `const renderer = require('./src/node/eejs')
for (const [name, isReadOnly] of [['pad', false], ['pad', true], ['pad', false], ['index', false], ['index', false]]) {
  console.log(renderer.require('ep_etherpad-lite/templates/' + name + '.html', { isReadOnly }).split('/').pop())
}`)
  const { stdout, stderr } = spawnSync(process.execPath, [...findingOf('etherpad').nodeArgs, path.join(root, 'asks.js')], { encoding: 'utf8' })
  assert.deepStrictEqual(stdout.trim().split('\n'),
    ['pad.html false 1', 'pad.html true 2', 'pad.html false 1', 'index.html false 3', 'index.html false 4'], stderr)
})

test('what is blamed is read from the report: queueing behind a route, of a request of the tail', () => {
  const report = {
    tail: { count: 4 },
    blockers: [
      { what: 'GET /p/:pad tcp_read', queue_ns: 8 * MS },
      { what: 'GET /p/:pad fs_write', queue_ns: 4 * MS },
      { what: 'GET /p/:pad/:rev?/export/:type tcp_read', queue_ns: 100 * MS },
      { what: 'GC scavenge', queue_ns: 100 * MS }
    ],
    routes: [
      { route: 'GET /users', tail: { io_ns: 100 * MS, queue_ns: 100 * MS, exec_ns: MS } },
      { route: 'GET /messages', tail: { io_ns: 2 * MS, queue_ns: 5 * MS, exec_ns: MS } }
    ]
  }
  assert.strictEqual(findingOf('etherpad').blamedNs(report), 3 * MS)
  assert.strictEqual(findingOf('todo').blamedNs(report), 0)
  assert.strictEqual(findingOf('chat').blamedNs(report), 7 * MS, 'its own I/O and queueing')
})

test('the page says medians and the rounds\' ratios, of what was measured', () => {
  const text = page(results(['etherpad', 'todo']))
  assert.match(text, /\n## etherpad\n\nBlamed: .*\(`--require benchmarks\/apps\/etherpad\/keep-page\.js`\)\. 123 requests\/s, 2 rounds, 3 errors\.\n/)
  assert.match(text, /\n## todo\n\nBlamed: .*\(`LIST_MOST=20`\)/)
  assert.doesNotMatch(text, /## blog/)
  assert.match(text, /^\| as it is \| 4\.50 \| 1\.50 \| 7\.50 \| 15\.00 \|$/m)
  assert.match(text, /^\| as it is, again \| 4\.50 \+0 % \[\+0 %, \+0 %\] \|/m)
  assert.match(text, /^\| changed \| 3\.38 -25 % \[-25 %, -25 %\] \| 1\.13 -25 % \[-25 %, -25 %\] \|/m)
  assert.ok(!text.includes(ROOT))
})

test('a base of nothing has no ratio', () => {
  const nothing = results(['todo'])
  for (const one of nothing.cells) if (one.variant === 'as it is') one.blamedNs = 0
  assert.match(page(nothing), /^\| changed \| 3\.38 \| 1\.13 -25 % /m)
})

test('the published page comes only from the whole measurement', () => {
  assert.strictEqual(readArguments([]).whole, true)
  assert.strictEqual(readArguments(['--runs', '2']).whole, false)
  assert.strictEqual(readArguments(['--apps', 'todo,chat']).whole, false)
  const { apps, runs, seconds, warmup, load, setup } = readArguments(['--apps', 'todo,chat', '--runs', '2', '--load', '0.4', '--no-setup'])
  assert.deepStrictEqual([apps, runs, seconds, warmup, load, setup], [['todo', 'chat'], 2, 10, 4, 0.4, false])
})

test('nonsense flags are named', () => {
  for (const [args, said] of [
    [['--apps', 'todo,nope'], /--apps nope: allowed are etherpad/],
    [['--runs', '0'], /--runs 0: must be a number from 1/],
    [['--load', '3'], /--load 3: must be a number from 0\.01 to 2/],
    [['extra'], /'extra': no such argument/]
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' })
    assert.strictEqual(status, 2, stderr)
    assert.match(stderr, said)
  }
})
