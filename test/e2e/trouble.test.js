'use strict'

// Whatever keeps the recorder from recording, the application answers, and one
// line on stderr tells.

const assert = require('node:assert/strict')
const { execFileSync, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { REGISTER, ROOT, inParallel, report, request, startApp, temporaryDirectory } = require('./recorded-app')

const COUNT = 100

async function answersAll (app, count = COUNT) {
  await inParallel(count, async (number) => {
    assert.equal((await request(app.port, `/user/${number}`)).status, 200)
  })
}

function lines (text) {
  return text.split('\n').filter(Boolean)
}

test('a full disk, on which there is room again', async (t) => {
  // RLIMIT_FSIZE: the write fails as on a full disk, without a disk to fill.
  const app = await startApp(t, 'http.js', { wrapper: ['prlimit', '--fsize=12288:unlimited'] })
  const part = async () => {
    await answersAll(app)
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  let parts = 2
  for (; !app.stderr.includes('cannot write'); parts++) await part()
  await part()
  execFileSync('prlimit', ['--pid', String(app.child.pid), '--fsize=unlimited'])
  await part()
  const { code, signal } = await app.stop()
  assert.deepEqual([code, signal], [0, null])
  const told = lines(app.stderr)
  assert.equal(told.filter((line) => /cannot write/.test(line)).length, 1, app.stderr)
  assert.match(told.at(-1), /lost \d+ records .* and [1-9]\d* bytes/)
  assert.equal(told.length, 2, app.stderr)
  const { requests, problems } = report(app.out)
  assert.ok(requests.count > 0 && requests.count < parts * COUNT)
  assert.ok(problems.length > 0 && problems.every(({ what }) => /chunk \d+ follows/.test(what)), `the gap is named: ${JSON.stringify(problems)}`)
})

test('a directory that cannot be made', async (t) => {
  const app = await startApp(t, 'http.js', { out: '/proc/no/such/place' })
  await answersAll(app)
  assert.equal((await app.stop()).code, 0)
  assert.equal(lines(app.stderr).length, 1, app.stderr)
  assert.match(app.stderr, /^edgewise: .*\/proc\/no.*the application goes on unrecorded\n$/)
})

for (const out of ['rel', '']) {
  test(`a working directory that was removed, EDGEWISE_OUT=${out}`, async (t) => {
    const app = await startApp(t, 'http.js', { out, wrapper: ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh'] })
    await answersAll(app)
    assert.equal((await app.stop()).code, 0)
    assert.equal(lines(app.stderr).length, 1, app.stderr)
    assert.match(app.stderr, /^edgewise: .*goes on unrecorded\n$/)
  })
}

test('a file where the directory should be', async (t) => {
  const file = path.join(temporaryDirectory(t), 'file')
  fs.writeFileSync(file, '')
  const app = await startApp(t, 'http.js', { out: file })
  await answersAll(app)
  assert.equal((await app.stop()).code, 0)
  assert.equal(lines(app.stderr).length, 1, app.stderr)
  assert.match(app.stderr, /^edgewise: .*goes on unrecorded\n$/)
})

/** A copy of the package, with or without its addon, in a directory of a name. */
function copyOfPackage (t, { addon, name: directory = 'edgewise' }) {
  const root = path.join(temporaryDirectory(t), directory)
  for (const name of ['lib', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(root, name), { recursive: true })
  if (addon) {
    const key = `node-v${process.versions.modules}-${process.platform}-${process.arch}`
    fs.mkdirSync(path.join(root, 'build', key), { recursive: true })
    fs.copyFileSync(path.join(ROOT, 'build', key, 'edgewise.node'), path.join(root, 'build', key, 'edgewise.node'))
  }
  return path.join(root, 'lib/register.js')
}

// The checkout may lie in a home that only its owner enters.
function publicCopy (t) {
  const register = copyOfPackage(t, { addon: true })
  fs.chmodSync(path.join(path.dirname(register), '../..'), 0o755)
  return register
}

test('no thread to be had', async (t) => {
  const out = temporaryDirectory(t)
  fs.chmodSync(out, 0o777)
  const app = await startApp(t, 'no-threads.js', { register: null, out: path.join(out, 'trace'), env: { REGISTER: publicCopy(t) } })
  await answersAll(app)
  assert.equal((await app.stop()).code, 0)
  assert.equal(lines(app.stderr).length, 1, app.stderr)
  assert.match(app.stderr, /^edgewise: cannot start the thread edgewise-drain: .*goes on unrecorded\n$/)
})

test('no thread to be had for boosting', async (t) => {
  const env = { EDGEWISE_ENABLED: '0', EDGEWISE_BOOST: 'gc', EDGEWISE_BOOST_ACTUATOR: 'none', REGISTER: publicCopy(t) }
  const app = await startApp(t, 'no-threads.js', { register: null, env })
  await answersAll(app)
  assert.equal((await app.stop()).code, 0)
  assert.equal(lines(app.stderr).length, 1, app.stderr)
  assert.match(app.stderr, /^edgewise: .*cannot start the thread edgewise-boost/)
})

test('a missing addon', async (t) => {
  const app = await startApp(t, 'http.js', { register: copyOfPackage(t, { addon: false }) })
  await answersAll(app)
  assert.equal((await app.stop()).code, 0)
  assert.equal(lines(app.stderr).length, 1, app.stderr)
  assert.match(app.stderr, /^edgewise: the addon is not built for Node .*; run 'npm install @edgewise\/linux-\S+', or 'npm rebuild edgewise --foreground-scripts', which .*; the application goes on unrecorded\n$/)
})

test('the addon of this platform\'s package', async (t) => {
  const register = copyOfPackage(t, { addon: false })
  const { BOOSTD, KEY } = require('../../lib/native/native-files')
  const libc = process.report.getReport().header.glibcVersionRuntime ? '' : '-musl'
  const home = path.join(path.dirname(register), '..', 'node_modules', '@edgewise', `${process.platform}-${process.arch}${libc}`)
  fs.mkdirSync(path.join(home, `node-v${process.versions.modules}`), { recursive: true })
  fs.writeFileSync(path.join(home, 'package.json'), '{}')
  fs.copyFileSync(path.join(ROOT, 'build', KEY, 'edgewise.node'), path.join(home, `node-v${process.versions.modules}`, 'edgewise.node'))
  const app = await startApp(t, 'http.js', { register })
  await answersAll(app)
  assert.deepEqual(await app.stop(), { code: 0, signal: null })
  assert.equal(app.stderr, '')
  assert.equal(report(app.out).requests.count, COUNT)
  const found = spawnSync(process.execPath, ['-p', `require(${JSON.stringify(path.join(path.dirname(register), 'native/native-files.js'))}).BOOSTD`], { encoding: 'utf8' })
  assert.equal(found.stdout.trim(), path.join(fs.realpathSync(home), path.basename(BOOSTD)))
})

test('a server that a signal ends has said where its trace is', async (t) => {
  const cwd = fs.realpathSync(temporaryDirectory(t))
  const { EDGEWISE_OUT: _, ...env } = process.env
  const ending = `
    const child = require('node:child_process').spawnSync(process.execPath, ['-e', '0'], { encoding: 'utf8' })
    process.stderr.write(child.stderr)
    process.kill(process.pid, process.argv[1])`
  for (const signal of ['SIGINT', 'SIGTERM']) {
    const { pid, signal: by, stderr } = spawnSync(process.execPath, ['--require', REGISTER, '-e', ending, signal], { cwd, env: { ...env, NODE_OPTIONS: `--require=${REGISTER}` }, encoding: 'utf8' })
    assert.equal(by, signal)
    assert.equal(stderr, `edgewise: recording to ${path.join(cwd, `edgewise-${pid}`)}\n`)
    assert.ok(fs.existsSync(path.join(cwd, `edgewise-${pid}`)))
  }
})

test('a directory that is called like a library of Node', async (t) => {
  const app = await startApp(t, 'http.js', { register: copyOfPackage(t, { addon: true, name: 'libuv-libnode-app' }) })
  await answersAll(app)
  assert.deepEqual(await app.stop(), { code: 0, signal: null })
  assert.equal(app.stderr, '')
  assert.equal(report(app.out).requests.count, COUNT)
})

test('two recorders in one process', async (t) => {
  const other = copyOfPackage(t, { addon: true })
  const app = await startApp(t, 'http.js', { flags: ['--require', other] })
  await answersAll(app)
  assert.equal((await app.stop()).code, 0)
  assert.equal(lines(app.stderr).length, 1, app.stderr)
  assert.match(app.stderr, /^edgewise: another copy records this process already .*; this one stays off\n$/)
  assert.equal(report(app.out).requests.count, COUNT)
})

test('the same recorder twice', async (t) => {
  const app = await startApp(t, 'http.js', { flags: ['--require', path.join(ROOT, 'lib/register.js')] })
  await answersAll(app)
  await app.stop()
  assert.equal(app.stderr, '')
  assert.equal(report(app.out).requests.count, COUNT)
})

const nonsense = [
  ['EDGEWISE_MODE', 'turbo', /EDGEWISE_MODE="turbo" is not allowed: allowed is stream, flight; using stream/],
  ['EDGEWISE_MAX_MB', '-1', /EDGEWISE_MAX_MB="-1" is not allowed: allowed is a number > 0, at most 1000000000; using 1024/],
  ['EDGEWISE_CAUSALITY', 'all', /EDGEWISE_CAUSALITY="all" is not allowed: allowed is events, promises; using \w+/],
  ['EDGEWISE_ENABLED', 'yes', /EDGEWISE_ENABLED="yes" is not allowed: allowed is 0, 1; using 1/],
  ['EDGEWISE_SLO_MS', '1e999', /EDGEWISE_SLO_MS="1e999" is not allowed: allowed is a number > 0, at most 1000000000; it stays unset/],
  ['EDGEWISE_WATCHER_US', '5', /EDGEWISE_WATCHER_US="5" is not allowed: .*; using 100/],
  ['EDGEWISE_OUTPUT', 'x', /EDGEWISE_OUTPUT is not a variable of edgewise: did you mean EDGEWISE_OUT\?/]
]

for (const [name, value, told] of /** @type {[string, string, RegExp][]} */ (nonsense)) {
  test(`${name}=${value}`, async (t) => {
    const app = await startApp(t, 'http.js', { env: { [name]: value } })
    await answersAll(app)
    assert.equal((await app.stop()).code, 0)
    assert.equal(lines(app.stderr).length, 1, app.stderr)
    assert.match(app.stderr, told)
    assert.equal(report(app.out).requests.count, COUNT)
  })
}

test('nobody reads stderr any more', async (t) => {
  const child = spawn(process.execPath, ['--require', path.join(ROOT, 'lib/register.js'), '-e', "setTimeout(() => console.log('alive'), 200)"],
    { env: { ...process.env, EDGEWISE_OUT: path.join(temporaryDirectory(t), 'trace'), EDGEWISE_MODE: 'turbo' } })
  child.stderr.destroy()
  child.stdout.resume()
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
})
