'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { packageCopy } = require('./package-copy')

const { version } = require('../../package.json')

test('help: each command explains itself with examples', (t) => {
  const { run } = packageCopy(t)
  const { status, stdout } = run(['--help'])
  assert.equal(status, 0)
  for (const name of ['profile', 'record', 'report', 'view', 'flame', 'query', 'burst', 'export', 'compare', 'whatif', 'slow', 'boost', 'tune', 'stacks', 'perf-map', 'bpf', 'kernel', 'on', 'off', 'dump', 'status', 'boostd', 'doctor']) {
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
    const help = run([name, '--help'])
    assert.equal(help.status, 0)
    assert.equal(help.stderr, '')
    assert.match(help.stdout, /^Examples?:\n {2}\S/m)
  }
  assert.deepEqual(run(['--version']).stdout, `${version}\n`)
})

test('wrong usage exits with 2 and says what is allowed', (t) => {
  const { run } = packageCopy(t)
  /** @type {[string[], RegExp][]} */
  const cases = [
    [[], /Usage: edgewise/],
    [['reprot', 'x'], /unknown command 'reprot'[\s\S]*Did you mean report\?/],
    [['report'], /missing required argument 'DIR'/],
    [['report', 'x', '--percentil', '9'], /unknown option '--percentil'[\s\S]*Did you mean --percentile\?/],
    [['report', 'x', 'y', '--html'], /--html is for one directory, and there are 2/],
    [['report', 'x', '--percentile', '0'], /'0' is invalid. Allowed is a number above 0 and below 100/],
    [['report', 'x', '--percentile', '100'], /'100' is invalid/],
    [['report', 'x', '--percentile', '-5'], /'-5' is invalid/],
    [['report', 'x', '--percentile', 'NaN'], /'NaN' is invalid/],
    [['report', 'x', '--percentile', '1e1'], /'1e1' is invalid/],
    [['report', 'x', '--request', '1.5'], /'1.5' is invalid. Allowed is a whole number/],
    [['report', 'x', '--process', '0'], /'0' is invalid. Allowed is a process id/],
    [['report', 'x', '--thread', 'main'], /'main' is invalid/],
    [['report', 'x', '--route', ''], /'' is invalid/],
    [['record'], /missing required argument 'command'/],
    [['record', '--'], /missing required argument 'command'/],
    [['record', '--outt', 'x', '--', 'node'], /unknown option '--outt'[\s\S]*Did you mean --out\?/],
    [['profile', '--lod', 'x', '--', 'node'], /Did you mean --load\?/],
    [['profile', '--for', '0', '--', 'node'], /'0' is invalid. Allowed is a number of seconds/],
    [['profile', '--for', '1h', '--', 'node'], /'1h' is invalid/],
    [['profile', '--for', '3000000', '--', 'node'], /'3000000' is invalid. Allowed is a number of seconds above 0 and at most 2000000/],
    [['boost', '--out', 'x', '--', 'node'], /--out x: there is a trace only with --record/],
    [['profile', '--port', '65536', '--', 'node'], /'65536' is invalid. Allowed is a port number/],
    [['profile', '--node', 'nightly', '--', 'node'], /'nightly' is invalid. Allowed choices are stock, patched/],
    [['on'], /missing required argument 'PID'/],
    [['on', 'me'], /'me' is invalid/],
    [['dump', '-1'], /./]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = run(args)
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`)
    assert.equal(stdout, '')
    assert.match(stderr, message)
    if (args.length > 0) assert.match(stderr, /^edgewise: .+\n$/)
  }
})

test('wrong usage is one line that ends in the next step', (t) => {
  const { run } = packageCopy(t)
  const said = (/** @type {string[]} */ ...args) => run(args).stderr
  assert.equal(said('reprot', 'x'), "edgewise: unknown command 'reprot' (Did you mean report?); next step: edgewise --help\n")
  assert.equal(said('report'), "edgewise: missing required argument 'DIR'; next step: edgewise report --help\n")
  assert.match(said('profile', '--for', '0', '--', 'node'), /^edgewise: option '--for <S>' argument '0' is invalid\. Allowed is .*; next step: edgewise profile --help\n$/)
  assert.equal(said('boost', '--out', 'x', '--', 'node'), 'edgewise: --out x: there is a trace only with --record: add it, or leave out --out\n')
})

test('report: options reach the analysis, text and JSON come out', (t) => {
  const { cwd, run } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  const text = run(['report', 'trace', '--percentile', '99.9', '--route', 'POST /todo', '--request', '7', '--process', '12', '--thread', '0',
    '--slowest', '3', '--requests', 'all.jsonl'])
  assert.equal(text.stderr, '')
  assert.equal(text.status, 0)
  assert.match(text.stdout, /^p99 requests are /)
  const { requestsPath, ...asked } = JSON.parse(fs.readFileSync(path.join(cwd, 'trace/asked.json'), 'utf8'))
  assert.deepEqual(asked, { percentile: 99.9, route: 'POST /todo', request: 7, process: 12, thread: 0, slowest: 3, stacks: true })
  assert.equal(path.dirname(requestsPath), cwd)

  const json = run(['report', 'trace', '--json'])
  assert.equal(JSON.parse(json.stdout).schema, 1)
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(cwd, 'trace/asked.json'), 'utf8')), { stacks: true })
})

test('report --requests: a file is whole or as it was, and never a trace', (t) => {
  const { cwd, run } = packageCopy(t)
  const at = (/** @type {string} */ name) => path.join(cwd, name)
  fs.mkdirSync(at('trace'))
  fs.writeFileSync(at('trace/7-0.ewt'), 'trace')
  fs.symlinkSync('trace/7-0.ewt', at('link'))
  fs.linkSync(at('trace/7-0.ewt'), at('hard'))
  for (const file of ['trace/7-0.ewt', 'new.ewt', 'link', 'hard']) {
    const { status, stderr } = run(['report', 'trace', '--requests', file])
    assert.deepEqual([status, stderr], [2, `edgewise: --requests ${file} would overwrite a trace: choose another file\n`])
  }
  assert.equal(fs.readFileSync(at('trace/7-0.ewt'), 'utf8'), 'trace')

  fs.writeFileSync(at('all.jsonl'), 'as it was')
  fs.symlinkSync('all.jsonl', at('linked.jsonl'))
  assert.equal(run(['report', 'trace', '--requests', 'linked.jsonl'], { FAKE_ERROR: 'NOT_FOUND' }).status, 1)
  assert.equal(fs.readFileSync(at('all.jsonl'), 'utf8'), 'as it was')
  assert.equal(run(['report', 'trace', '--requests', 'linked.jsonl']).status, 0)
  assert.equal(fs.readFileSync(at('all.jsonl'), 'utf8'), '{}\n')
  assert.equal(fs.statSync(at('all.jsonl')).mode & 0o777, 0o600)
  assert.equal(run(['report', 'trace', '--requests', '/dev/null']).status, 0)
  assert.deepEqual(fs.readdirSync(cwd).sort(), ['all.jsonl', 'hard', 'link', 'linked.jsonl', 'trace'])
  const { status, stderr } = run(['report', 'trace', '--requests', 'no/all.jsonl'])
  assert.equal(status, 1)
  assert.equal(stderr, `edgewise: cannot write the requests to no/all.jsonl: ENOENT: no such file or directory, open '${at('no/all.jsonl')}'\n`)
})

test('report: a long analysis says how far it is; Ctrl-C ends it, and leaves the file of --requests as it was', async (t) => {
  const { begin, cwd } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  fs.writeFileSync(path.join(cwd, 'all.jsonl'), 'as it was')
  const { child, ended, printed } = begin(['report', 'trace', '--requests', 'all.jsonl'], { FAKE_ENDLESS: '1' })
  await printed(/^edgewise: analysing: 42 %$/m)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.deepEqual([code, stdout], [130, ''])
  assert.deepEqual(fs.readdirSync(cwd).sort(), ['all.jsonl', 'trace'])
  assert.equal(fs.readFileSync(path.join(cwd, 'all.jsonl'), 'utf8'), 'as it was')
})

test('report --requests: no directory, or a trace that is a link to nowhere, is left to the analysis', (t) => {
  const { cwd, run } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  fs.writeFileSync(path.join(cwd, 'trace/7-0.ewt'), 'trace')
  fs.symlinkSync('nowhere', path.join(cwd, 'trace/8-0.ewt'))
  assert.deepEqual(run(['report', 'trace', '--requests', 'all.jsonl']).stderr, '')
  const { stderr } = run(['report', 'trace/7-0.ewt', '--requests', 'all.jsonl'], { FAKE_ERROR: 'NOT_FOUND' })
  assert.equal(stderr, 'edgewise: said by the addon\n')
})

test('report: failures name what was asked for and what there is, on one line that moves no cursor', (t) => {
  const { cwd, run } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  for (const name of ['7-0.ewt', '7-10.ewt', '7-2.1.ewt', '12-0.ewt', 'other.ewt']) fs.writeFileSync(path.join(cwd, 'trace', name), '')
  const failing = (/** @type {string} */ message, /** @type {string[]} */ ...options) =>
    run(['report', 'trace', ...options], { FAKE_ERROR: 'NOT_FOUND', FAKE_MESSAGE: message }).stderr
  assert.equal(failing('no usable trace in trace: files for the process and thread asked for; x: cut', '--process', '8', '--thread', '1'),
    'edgewise: no usable trace in trace: files for process 8, thread 1; recorded are process 7 (thread 0, 2, 10), process 12 (thread 0); x: cut\n')
  assert.match(failing('no usable trace for the process and thread asked for', '--thread', '1'), /for thread 1; recorded/)
  assert.equal(failing('no request of route x; routes there: GET /\x1b[2J\n'), 'edgewise: no request of route x; routes there: GET /\\u{1b}[2J\\u{a}\n')
})

test('report: a foreign file among those of boosting is a warning', (t) => {
  const { cwd, run } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  for (const text of ['{}', 'null']) {
    fs.writeFileSync(path.join(cwd, 'trace/boost-1-2.json'), text)
    const { status, stdout } = run(['report', 'trace'])
    assert.equal(status, 0)
    assert.match(stdout, /^! boost-1-2\.json is left out: it is not what boosting writes, or was cut off$/m)
  }
})

test('report --process, --thread: the boosting of those only', (t) => {
  const { cwd, run } = packageCopy(t)
  const stats = { schema: 1, policy: 'gc', actuator: 'log', description: 'none', boosts: 1, elapsed_ns: 10, residency_ns: { low: 5, mid: 0, high: 5 }, reasons: {}, reaction_ns: {}, energy: { normalised: 1, kind: 'modelled' } }
  fs.mkdirSync(path.join(cwd, 'trace'))
  for (const name of ['5-0', '6-0', '6-1']) fs.writeFileSync(path.join(cwd, `trace/boost-${name}.json`), JSON.stringify(stats))
  const threads = (/** @type {string[]} */ ...options) =>
    JSON.parse(run(['report', 'trace', '--json', ...options]).stdout).boost?.map((/** @type {any} */ one) => [one.process, one.thread])
  assert.deepEqual(threads('--process', '6'), [[6, 0], [6, 1]])
  assert.deepEqual(threads('--thread', '0'), [[5, 0], [6, 0]])
  assert.equal(threads('--process', '7'), undefined)
})

test('report: no colour outside a terminal', (t) => {
  const { cwd, run } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  assert.ok(!run(['report', 'trace'], { FORCE_COLOR: '1', COLORTERM: 'truecolor' }).stdout.includes('\x1b'))
})

test('report: colour in a terminal, unless NO_COLOR', { skip: spawnSync('script', ['--version']).status !== 0 && 'needs script(1)' }, (t) => {
  const { cwd, root } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  const inTerminal = (/** @type {NodeJS.ProcessEnv} */ env) => spawnSync('script', ['-qec',
    `'${process.execPath}' '${path.join(root, 'bin/edgewise.js')}' report trace`, '/dev/null'],
  { cwd, env: { PATH: process.env.PATH, TERM: 'xterm', ...env }, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' }).stdout
  assert.match(inTerminal({}), /\x1b\[1mp99 requests/) // eslint-disable-line no-control-regex
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    assert.match(inTerminal(env), /p99 requests/)
    assert.ok(!inTerminal(env).includes('\x1b'))
  }
})

test('report: failures are one line and exit with 1, the analysis\' usage errors with 2', (t) => {
  const { cwd, run } = packageCopy(t)
  const gone = run(['report', 'nowhere'])
  assert.equal(gone.status, 1)
  assert.equal(gone.stderr, 'edgewise: nowhere does not exist: give the directory that the recording has named\n')
  fs.mkdirSync(path.join(cwd, 'trace'))
  const unbuilt = run(['report', 'trace'], { FAKE_UNBUILT: '1' })
  assert.equal(unbuilt.status, 1)
  assert.equal(unbuilt.stderr, 'edgewise: the addon is not built: run scripts/setup\n')
  for (const [code, status] of Object.entries({ INVALID_ARGUMENT: 2, NOT_FOUND: 1, INTERNAL: 1 })) {
    const { stderr, ...result } = run(['report', 'trace'], { FAKE_ERROR: code })
    assert.equal(result.status, status, code)
    assert.equal(stderr, 'edgewise: said by the addon\n')
  }
})

test('report | head: a closed pipe is not an error', (t) => {
  const { cwd, root } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  const piped = (/** @type {string} */ reader) => `"$NODE" "$BIN" report trace | ${reader}; echo " [$PIPESTATUS]"`
  const command = `${piped('head -c 10')}; ${piped('true')}`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command],
    { cwd, env: { PATH: process.env.PATH, NODE: process.execPath, BIN: path.join(root, 'bin/edgewise.js') }, encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.equal(stdout, 'p99 reques [0]\n [0]\n')
})

test('on, off, dump, status: answers and failures', async (t) => {
  const { begin, run, write } = packageCopy(t)
  write('served.js', `require(${JSON.stringify(require.resolve('../../lib/control'))}).serve({
  on: () => ({ recording: true, out: '/tmp/x' }), off: () => ({ recording: false }),
  dump: () => { throw new Error('nothing to dump in stream mode') }, status: () => ({ recording: true, events: 3 }) })
setInterval(() => {}, 1000); console.log('pid=' + process.pid)`)
  const { printed } = begin(['record', '--', process.execPath, 'served.js'])
  const [, pid] = await printed(/pid=(\d+)/)
  const on = run(['on', pid])
  assert.deepEqual([on.status, on.stdout, on.stderr], [0, `process ${pid}: recording\n  recording: true\n  out: /tmp/x\n`, ''])
  assert.equal(run(['off', pid]).stdout, `process ${pid}: not recording\n  recording: false\n`)
  assert.equal(run(['status', pid]).stdout, `process ${pid}\n  recording: true\n  events: 3\n`)
  const dump = run(['dump', pid])
  assert.deepEqual([dump.status, dump.stderr], [1, `edgewise: dump: process ${pid}: nothing to dump in stream mode\n`])
  const none = run(['off', '4194304'])
  assert.deepEqual([none.status, none.stderr], [1, 'edgewise: off: there is no process 4194304\n'])
})

test('doctor: what is observed, with reasons; the addon\'s trial beats a file\'s promise', (t) => {
  const { run } = packageCopy(t)
  const { status, stdout } = run(['doctor'])
  assert.equal(status, 0)
  assert.match(stdout, /^Requests can be recorded here\.\n/)
  assert.match(stdout, /^addon +yes +loaded$/m)
  assert.match(stdout, /^interpose +no +symbol not found$/m)
  assert.match(stdout, /^processor frequency +no +tried by the addon$/m)
  assert.match(stdout, /^patched Node.js +no +not built, .*; next step: npm run build:node$/m)
  assert.match(stdout, /^trace directory +yes +\/.*MiB free$/m)
  assert.match(stdout, /^control socket +yes +\//m)
  const { usable, facts, checks, problems } = JSON.parse(run(['doctor', '--json'], { EDGEWISE_MODE: 'x' }).stdout)
  assert.equal(usable, true)
  assert.deepEqual(facts, { node: 'v20.0.0', abi: '115' })
  assert.equal(problems.length, 1)
  for (const { name, available, reason } of checks) assert.ok(name && typeof available === 'boolean' && reason, name)
  assert.equal(new Set(checks.map((/** @type {any} */ { name }) => name)).size, checks.length)
})

test('doctor: exits with 1 when nothing can be recorded', (t) => {
  const { run } = packageCopy(t)
  const { status, stdout } = run(['doctor'], { FAKE_UNBUILT: '1' })
  assert.equal(status, 1)
  assert.match(stdout, /^Requests cannot be recorded here: see addon\.\n/)
  assert.match(stdout, /^addon +no +the addon is not built: run scripts\/setup$/m)
})
