'use strict'

// The functions that ran while requests waited, or ran themselves.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { gunzipSync } = require('node:zlib')
const ts = require('typescript')
const { timedTest } = require('./attempts')
const { ROOT, reportedRequests, request, startApp, startServer, temporaryDirectory } = require('./recorded-app')
const { report } = require('../../lib')
const { PINNED, startRival } = require('./surroundings')

const SOURCE = fs.readFileSync(path.join(__dirname, 'apps/stacks.js'), 'utf8').split('\n')
const lineOf = (/** @type {string} */ text) => SOURCE.findIndex((line) => line.includes(text)) + 1
const ROUNDS = 15
/** Each that is told by its last 20 µs is a thirtieth. */
const PARSED = 30

const env = { EDGEWISE_STACKS: '100' }

/** By spinning(). */
const CALLED = ['square', 'spent', 'now']

/** @param {string[]} args */
function cli (...args) {
  return spawnSync(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), ...args], { encoding: 'utf8' })
}

const flame = (/** @type {string[]} */ ...args) => cli('flame', ...args)

/** Each of the routes, with one behind it that waits. @param {string[]} [wrapper] @returns {Promise<any>} the report of all requests as the tail */
async function recorded (t, routes, rounds = ROUNDS, wrapper = undefined) {
  const app = await startApp(t, 'stacks.js', { env, wrapper })
  for (let i = 0; i < rounds; i++) {
    for (const route of routes) {
      const slow = request(app.port, route)
      await new Promise((resolve) => setTimeout(resolve, 4))
      await Promise.all([slow, request(app.port, '/quick')])
    }
  }
  const told = once(app.child, 'message')
  await app.stop()
  assert.equal(app.stderr.replace(/^edgewise: (recording|trace).*\n/gm, ''), '')
  const [ran] = await told
  return { ...report(app.out, { percentile: 0.001, stacks: true }), ran, requests: reportedRequests(app.out) }
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0)

/**
 * What is told for others than the functions that did the work is what ran beside these by the program's own clock:
 * HTTP, which takes a tenth of the time on a slow machine.
 * @param {any} told @param {string} route @param {string[]} names
 */
function nothingElse (told, route, names) {
  const { requests, ran } = told
  const inside = (/** @type {number} */ from, /** @type {number} */ to, of = ran) => sum(of.map(([a, b]) => Math.max(0, Math.min(b, to) - Math.max(a, from))))
  const slow = requests.filter((/** @type {any} */ each) => each.route === `GET ${route}`)
  const its = ran.filter(([from, to]) => slow.some((/** @type {any} */ each) => each.start_ns <= from && to <= each.end_ns))
  assert.equal(its.length, slow.length)
  const behind = requests.filter((/** @type {any} */ each) => each.route === 'GET /quick' && inside(each.start_ns, each.end_ns, its) > 0)
  assert.equal(behind.length, slow.length)
  const beside = {
    tail_exec_ns: sum(slow.map((/** @type {any} */ { exec_ns: ns }) => ns)) - sum(its.map(([from, to]) => to - from)),
    tail_wait_ns: sum(behind.map((/** @type {any} */ { start_ns: from, queue_ns: ns }) => ns - inside(from, from + ns)))
  }
  const functions = functionsOf(told, route)
  for (const [kind, ns] of Object.entries(beside)) {
    const others = sum(functions.filter(({ function: name }) => !names.includes(name)).map((each) => each[kind]))
    const all = sum(functions.map((each) => each[kind]))
    assert.ok(others < ns + 0.05 * all, `${route}: ${kind} of others: ${others / 1e6}, where ${ns / 1e6} of ${all / 1e6} ms are`)
  }
}

/** @param {any} told @param {string} route */
function functionsOf (told, route) {
  const causes = told.stacks.causes.filter((/** @type {any} */ { what }) => what.startsWith(`GET ${route} `))
  assert.ok(causes.length > 0, JSON.stringify(told.stacks.causes.map((/** @type {any} */ { what }) => what)))
  const of = (/** @type {any} */ each) => each.tail_wait_ns + each.tail_exec_ns
  const all = sum(causes.map(of))
  return causes.flatMap(({ functions }) => functions).map((each) => ({ ...each, share: of(each) / all })).sort((a, b) => b.share - a.share)
}

timedTest('each route is told by the function that did its work, where most of it was done', async (t) => {
  const told = await recorded(t, ['/spin', '/deep', '/async', '/eval'])
  for (const route of ['/spin', '/deep', '/async', '/eval']) {
    // Where it was inlined, too.
    const ours = functionsOf(told, route).filter(({ function: name }) => name === 'spinning' || name === 'square')
    nothingElse(told, route, ['spinning', ...CALLED])
    const [{ function: name, script, line }] = ours
    assert.equal(path.basename(script), 'stacks.js')
    if (name === 'spinning') assert.ok(Math.abs(line - lineOf('while (spent()')) <= 1, `${route}: line ${line}`)
  }
})

timedTest('what they wait behind is sampled for as long as it took', async (t) => {
  const told = await recorded(t, ['/spin', '/hash'])
  for (const route of ['/spin', '/hash']) {
    const blocker = sum(told.blockers.filter((/** @type {any} */ { what }) => what.startsWith(`GET ${route} `)).map((/** @type {any} */ { queue_ns: ns, not_running_ns: off }) => ns - off))
    const sampled = sum(told.stacks.causes.filter((/** @type {any} */ { what }) => what.startsWith(`GET ${route} `)).map((/** @type {any} */ { tail_wait_ns: ns }) => ns))
    assert.ok(Math.abs(sampled - blocker) < 0.3 * blocker, `${route}: ${sampled / 1e6} of ${blocker / 1e6} ms`)
  }
  // V8 is asked while native code runs, and answers when that returns.
  const [hash] = functionsOf(told, '/hash')
  assert.equal(hash.function, 'hashing')
  nothingElse(told, '/hash', ['hashing'])
})

timedTest('what comes after native code is not told for it', async (t) => {
  afterNative(await recorded(t, ['/parse'], PARSED))
})

timedTest('what comes after native code is not told for it where the helper wakes late', async (t) => {
  for (let i = 0; i < 3; i++) startRival(t, ['nice', '-n', '-5'])
  afterNative(await recorded(t, ['/parse'], PARSED))
})

timedTest('what comes after native code is not told for it on one processor', async (t) => {
  afterNative(await recorded(t, ['/parse'], PARSED, PINNED))
})

/** @param {any} told */
function afterNative (told) {
  const functions = functionsOf(told, '/parse')
  const shareOf = (/** @type {string} */ name) => sum(functions.filter((each) => each.function === name).map(({ share }) => share))
  assert.ok(shareOf('later') < 0.09, JSON.stringify(functions))
  // It is told at its caller, or what called that.
  assert.ok(shareOf('parsing') + sum(functions.filter(({ line }) => line >= lineOf("'/parse'")).map(({ share }) => share)) > 0.8, JSON.stringify(functions))
  assert.match(JSON.stringify(told.stacks.tree?.texts ?? told), /Json/)
}

timedTest('native code at the end of a slice is told, though who called it is not', async (t) => {
  const functions = functionsOf(await recorded(t, ['/sliced'], PARSED), '/sliced')
  const share = sum(functions.filter(({ script }) => script.startsWith('native:')).map((each) => each.share))
  assert.ok(share > 0.7, JSON.stringify(functions))
  assert.ok(!functions.some(({ function: name }) => name === 'later'), JSON.stringify(functions))
})

timedTest('a function without a name is told by its place', async (t) => {
  const [told] = functionsOf(await recorded(t, ['/anonymous'], 10), '/anonymous')
  assert.equal(told.line, lineOf("'/anonymous'"))
})

test('a worker that is ended while it is asked takes nothing with it', async (t) => {
  const app = await startApp(t, 'stacks.js', { env: { EDGEWISE_STACKS: '1000' } })
  for (let i = 0; i < 25; i++) assert.equal((await request(app.port, '/workers')).body, 'x')
  await app.stop()
  assert.equal(app.stderr.replace(/^edgewise: (recording|trace).*\n/gm, ''), '')
  assert.ok(report(app.out).threads > 20)
})

test('without EDGEWISE_STACKS there are none, and flame says what to do', async (t) => {
  const app = await startApp(t, 'stacks.js')
  await request(app.port, '/spin')
  await app.stop()
  assert.equal(report(app.out).stacks, null)
  const { status, stderr } = flame(app.out, '--format', 'collapsed')
  assert.equal(status, 1)
  assert.match(stderr, /no stacks: record with EDGEWISE_STACKS=100/)
})

test('flame draws what ran, for the terminal\'s user and for other tools', async (t) => {
  const app = await startApp(t, 'stacks.js', { env })
  for (let i = 0; i < 20; i++) await request(app.port, i === 7 ? '/hash' : '/spin')
  await app.stop()
  const collapsed = flame(app.out, '--format', 'collapsed', '--percentile', '50')
  assert.equal(collapsed.status, 0, collapsed.stderr)
  assert.match(collapsed.stdout, /^GET \/\S+ tcp_read;.*spinning \(apps\/stacks\.js:\d+\) \d+$/m)
  const file = path.join(app.root, 'diff.svg')
  const drawn = flame(app.out, '--diff', '--out', file, '--percentile', '50')
  assert.equal(drawn.status, 0, drawn.stderr)
  assert.equal(drawn.stderr, `edgewise: written to ${file}\n`)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.match(fs.readFileSync(file, 'utf8'), /spinning/)
  assert.equal(flame(app.out, '--diff', '--format', 'speedscope').status, 2)
  assert.equal(flame(app.out, '--format', 'png').status, 2)
  const pprof = path.join(app.root, 'tail.pb.gz')
  assert.equal(flame(app.out, '--diff', '--format', 'pprof', '--out', pprof, '--percentile', '50').status, 0)
  assert.match(gunzipSync(fs.readFileSync(pprof)).toString('latin1'), /spinning/)
  const nowhere = flame(app.out, '--out', path.join(app.root, 'no/such/file.svg'), '--percentile', '50')
  assert.equal(nowhere.status, 1)
  assert.match(nowhere.stderr, /cannot write .*no\/such/)
})

/** @param {any} t @returns {{ script: string, map: string, source: string }} apps/typed.ts, compiled */
function compiled (t) {
  const directory = temporaryDirectory(t)
  const [source, script] = [path.join(directory, 'typed.ts'), path.join(directory, 'typed.js')]
  fs.copyFileSync(path.join(__dirname, 'apps/typed.ts'), source)
  const { outputText, sourceMapText } = ts.transpileModule(fs.readFileSync(source, 'utf8'), {
    fileName: 'typed.ts',
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, sourceMap: true }
  })
  fs.writeFileSync(script, outputText)
  fs.writeFileSync(`${script}.map`, String(sourceMapText))
  return { script, map: `${script}.map`, source }
}

test('a compiled program is told by the lines of its source, while its map is there', async (t) => {
  const { script, map, source } = compiled(t)
  const app = await startServer(t, script, { env })
  for (let i = 0; i < 10; i++) await Promise.all([request(app.port, '/spin'), request(app.port, '/quick')])
  await app.stop()
  const lineIn = (/** @type {string} */ file) => fs.readFileSync(file, 'utf8').split('\n').findIndex((line) => line.includes('while (performance.now()')) + 1
  assert.ok(lineIn(source) > lineIn(script) + 3)
  const spinning = (/** @type {any} */ told) => told.stacks.causes.flatMap((/** @type {any} */ { functions }) => functions)
    .filter((/** @type {any} */ each) => each.function === 'spinning').map((/** @type {any} */ { script, line }) => [script, Math.abs(line - lineIn(script)) <= 1])

  const told = JSON.parse(cli('report', app.out, '--json', '--percentile', '50').stdout)
  const [first, ...others] = spinning(told)
  assert.deepEqual([first, told.stacks.unmapped, told.stacks.tree], [[source, true], [], undefined])
  assert.ok(others.every(([script]) => script === source))
  const text = cli('report', app.out, '--percentile', '50').stdout
  assert.match(text, /spinning +\S+\/typed\.ts:\d+/)
  assert.doesNotMatch(text, /No source map/)
  assert.match(flame(app.out, '--format', 'collapsed', '--percentile', '50').stdout, /spinning \(\S+\/typed\.ts:\d+\)/)

  const off = ['--no-source-maps', '--percentile', '50']
  assert.deepEqual(spinning(JSON.parse(cli('report', app.out, '--json', ...off).stdout))[0], [script, true])
  assert.match(flame(app.out, '--format', 'collapsed', ...off).stdout, /spinning \(\S+\/typed\.js:\d+\)/)
  fs.rmSync(map)
  const without = cli('report', app.out, '--percentile', '50').stdout
  assert.match(without, /spinning +\S+\/typed\.js:\d+/)
  assert.match(without, /^No source map for \S+\/typed\.js: \/\S+\/typed\.js\.map is not there \(build with source maps, or copy it there\)\.$/m)
})

test('flame draws one request, and says what to do where there is nothing to draw', async (t) => {
  const app = await startApp(t, 'stacks.js', { env })
  const rounds = 6
  for (let i = 0; i < rounds; i++) await Promise.all([request(app.port, '/hash'), request(app.port, '/quick')])
  await app.stop()
  const drawn = reportedRequests(app.out).map(({ route, id }) => ({ route, ...flame(app.out, '--of', String(id), '--format', 'collapsed') }))
  assert.equal(drawn.length, 2 * rounds)
  for (const { status, stderr } of drawn) if (status !== 0) assert.match(stderr, /^edgewise: request \d+, in the .* that it was ready or ran: none of the \d+ samples is of it: record with more/)
  // The one ran it, the other waited behind it.
  for (const route of ['GET /hash', 'GET /quick']) assert.ok(drawn.some((each) => each.route === route && /^GET \/hash tcp_read;.*hashing .* [1-9]\d*$/m.test(each.stdout)), route)
  const refused = [
    [['--of', '4711'], 1, /request 4711 did not end, or is not, in .+: take a number from the report's slowest requests, or from its option --requests/],
    [['--of', 'nobody'], 2, /'nobody' is invalid\. Allowed are tail, rest, blockers, own, or the number of a request/],
    [['--of', '1x'], 2, /'1x' is invalid\. Allowed is a whole number/],
    [['--of', 'rest', '--percentile', '0.1'], 1, /--of rest: no requests are left beside the tail, which is all 12: choose a higher --percentile/],
    [['--diff', '--percentile', '0.1'], 1, /--diff: no requests are left/]
  ]
  for (const [args, code, message] of /** @type {[string[], number, RegExp][]} */ (refused)) {
    const { status, stderr } = flame(app.out, ...args)
    assert.equal(status, code, stderr)
    assert.match(stderr, message)
  }
})
