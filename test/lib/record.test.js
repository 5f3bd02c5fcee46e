'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { pathToFileURL } = require('node:url')
const { hasEnded, packageCopy } = require('./package-copy')

/** @param {string} directory */
const traces = (directory) => fs.readdirSync(directory).filter((name) => name.endsWith('.ewt'))

test('records the command, and what it starts, into one directory', (t) => {
  const { cwd, run } = packageCopy(t)
  const inner = 'require("node:child_process").spawnSync(process.execPath, ["-e", "0"])'
  const { status, stderr } = run(['record', '--out', 'my trace', '--', process.execPath, '-e', inner])
  assert.equal(stderr.replace(/recorded .* in/, 'recorded X in'), `edgewise: recorded X in 2 files; next: edgewise report '${cwd}/my trace'\nedgewise: page: ${pathToFileURL(path.join(cwd, 'my trace/report.html'))}\n`)
  assert.equal(status, 0)
  assert.equal(traces(path.join(cwd, 'my trace')).length, 2)
})

test('through a shell and with NODE_OPTIONS of its own', (t) => {
  const { cwd, run } = packageCopy(t)
  const { status, stdout, stderr } = run(['record', '--out', 'out', '--', 'sh', '-c', '"$0" -p "process.title + process.execArgv.length"', process.execPath],
    { NODE_OPTIONS: '--title=mine' })
  assert.equal(stderr.split('\n').length, 3, stderr)
  assert.deepEqual([status, stdout], [0, 'mine2\n'])
  assert.equal(traces(path.join(cwd, 'out')).length, 1)
})

test('a page that cannot be made fails nothing, and --no-page makes none', (t) => {
  const { cwd, run } = packageCopy(t)
  const failed = run(['record', '--out', 'out', '--', process.execPath, '-e', 'process.exit(7)'], { FAKE_ERROR: 'NOT_FOUND', FAKE_MESSAGE: 'nothing there' })
  assert.equal(failed.status, 7)
  assert.match(failed.stderr, /^edgewise: no page: nothing there$/m)
  const without = run(['record', '--no-page', '--out', 'other', '--', process.execPath, '-e', '0'])
  assert.doesNotMatch(without.stderr, /page/)
  assert.deepEqual(fs.readdirSync(path.join(cwd, 'other')).filter((name) => !name.endsWith('.ewt')), [])
})

test('the command\'s flags are its own, with and without --', (t) => {
  const { run } = packageCopy(t)
  for (const dashes of [['--'], []]) {
    const { stdout } = run(['record', ...dashes, process.execPath, '-p', 'process.argv.slice(1).join()', 'x', '--out', 'y', '--help'])
    assert.equal(stdout, 'x,--out,y,--help\n')
  }
})

test('the default directory is named by process, EDGEWISE_OUT overrides it, --out both', (t) => {
  const { cwd, run } = packageCopy(t)
  run(['record', '--', process.execPath, '-e', '0'])
  assert.equal(fs.readdirSync(cwd).filter((name) => /^edgewise-\d+$/.test(name)).length, 1)
  run(['record', '--', process.execPath, '-e', '0'], { EDGEWISE_OUT: 'env' })
  assert.equal(traces(path.join(cwd, 'env')).length, 1)
  run(['record', '--out', 'flag', '--', process.execPath, '-e', '0'], { EDGEWISE_OUT: 'env2' })
  assert.equal(traces(path.join(cwd, 'flag')).length, 1)
  assert.ok(!fs.existsSync(path.join(cwd, 'env2')))
})

test('Yarn\'s own preload comes first: it finds packages', (t) => {
  const { root, run, write } = packageCopy(t)
  const tell = (/** @type {string} */ name) => `if (process.env.EDGEWISE_OUT) console.log('${name}', require.cache[process.env.REGISTER] !== undefined)`
  write('.pnp.cjs', tell('pnp'))
  write('other.js', tell('other'))
  const REGISTER = path.join(fs.realpathSync(root), 'lib', 'register.js')
  for (const [out, pnp] of [['one', '--require ./.pnp.cjs'], ['two', '-r "./.pnp.cjs"']]) {
    const { stdout, status } = run(['record', '--out', out, '--', process.execPath, '-e', '0'], { NODE_OPTIONS: `--require ./other.js ${pnp} --no-warnings`, REGISTER })
    assert.deepEqual([stdout, status], ['pnp false\nother true\n', 0])
  }
})

test('the exit code is the command\'s', (t) => {
  const { run } = packageCopy(t)
  assert.equal(run(['record', '--', process.execPath, '-e', 'process.exit(7)']).status, 7)
  assert.equal(run(['record', '--', process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")']).status, 137)
})

test('what goes wrong is said and exits with 1', (t) => {
  const { cwd, run } = packageCopy(t)
  const missing = run(['record', '--', 'no-such-program'], { PATH: '/usr/bin:/bin' })
  assert.deepEqual([missing.status, missing.stderr], [1, 'edgewise: cannot start "no-such-program": no such program\n'])
  const silent = run(['record', '--out', 'none', '--', 'true'])
  assert.equal(silent.status, 1)
  assert.deepEqual(fs.readdirSync(cwd).filter((name) => /^(none|edgewise-\d+)$/.test(name)), [], 'no empty directories stay')
  assert.match(silent.stderr, /^edgewise: no trace was written to \/.*none: the command must run Node\.js/)
  assert.match(run(['record', '--', 'true'], { EDGEWISE_ENABLED: '0' }).stderr, /EDGEWISE_ENABLED=0 starts with recording off/)
  fs.writeFileSync(path.join(cwd, 'file'), '')
  const occupied = run(['record', '--out', 'file', '--', process.execPath, '-e', '0'])
  assert.equal(occupied.status, 1)
  assert.match(occupied.stderr, /^edgewise: cannot write a trace to \/.*file: ENOTDIR/)
  run(['record', '--out', 'twice', '--', process.execPath, '-e', '0'])
  const twice = run(['record', '--out', 'twice', '--', process.execPath, '-e', 'console.log("ran")'])
  assert.deepEqual([twice.status, twice.stdout], [1, ''])
  assert.match(twice.stderr, /twice already holds a trace/)
})

test('a working directory that was removed is a failure of one line', (t) => {
  const { cwd, root } = packageCopy(t)
  const { status, stderr } = spawnSync('sh', ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh',
    process.execPath, path.join(root, 'bin/edgewise.js'), 'record', '--out', 'rel', '--', 'true'], { cwd, encoding: 'utf8' })
  assert.match(stderr, /^edgewise: cannot write a trace to rel: ENOENT.*uv_cwd.*\n$/)
  assert.equal(status, 1)
})

test('Ctrl-C stops the command and what it started, and exits with 130', async (t) => {
  const { begin, write } = packageCopy(t)
  write('parent.js', `const { spawn } = require('node:child_process')
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
setInterval(() => {}, 1000); console.log('ready ' + process.pid + ' ' + child.pid)`)
  const { child, ended, printed } = begin(['record', '--out', 'out', '--', process.execPath, 'parent.js'])
  const [, ...pids] = await printed(/ready (\d+) (\d+)/)
  child.kill('SIGINT')
  const { code, stderr } = await ended
  assert.equal(code, 130, stderr)
  assert.match(stderr, /^edgewise: recorded .* next: edgewise report /)
  for (const pid of pids) assert.ok(await hasEnded(pid), pid)
})

test('a signal that comes while the command is being started reaches it', () => {
  const script = `const { runForeground } = require(${JSON.stringify(require.resolve('../../lib/cli/foreground'))})
runForeground(['sleep', '60'], process.env).then((code) => { process.exitCode = code })
process.emit('SIGTERM')`
  assert.equal(spawnSync(process.execPath, ['-e', script], { timeout: 20_000, killSignal: 'SIGKILL' }).status, 143)
})

test('a command that handles Ctrl-C gets it once, and its exit code counts', async (t) => {
  const { begin, write } = packageCopy(t)
  write('graceful.js', `process.on('SIGINT', () => { console.log('once'); setTimeout(() => process.exit(3), 200) })
setInterval(() => {}, 1000); console.log('ready')`)
  const { child, ended, printed } = begin(['record', '--out', 'out', '--', process.execPath, 'graceful.js'])
  await printed(/ready/)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.deepEqual([code, stdout], [3, 'ready\nonce\n'])
})

test('the third Ctrl-C ends a command that ignores the others', async (t) => {
  const { begin, write } = packageCopy(t)
  write('stubborn.js', 'process.on("SIGINT", () => console.log("no")); setInterval(() => {}, 1000); console.log("ready")')
  const { child, ended, printed } = begin(['record', '--out', 'out', '--', process.execPath, 'stubborn.js'])
  await printed(/ready/)
  child.kill('SIGINT')
  await printed(/no\n/)
  child.kill('SIGINT')
  await printed(/no\nno\n/)
  child.kill('SIGINT')
  const { code, stderr } = await ended
  assert.equal(code, 137)
  assert.match(stderr, /stopping it by force/)
})

test('a command that became another user\'s is given up by the third Ctrl-C, and told', () => {
  const script = `const { runForeground } = require(${JSON.stringify(require.resolve('../../lib/cli/foreground'))})
const kill = process.kill
process.kill = () => { throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' }) }
runForeground(['sleep', '60'], process.env, 'ignore').then((code) => { process.kill = kill; process.exitCode = code })
let asked = 0
setInterval(() => { if (asked++ < 3) process.emit('SIGINT') }, 200).unref()`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' })
  const [, pid] = /^edgewise: stopping it by force\nedgewise: still running, for only another user may end it: kill (\d+)\n$/.exec(stderr) ?? assert.fail(stderr)
  process.kill(Number(pid), 'SIGKILL')
  assert.equal(status, 137)
})

test('the command does not outlive a command line that is told to end', async (t) => {
  const { begin, write } = packageCopy(t)
  write('server.js', 'setInterval(() => {}, 1000); console.log("pid=" + process.pid)')
  const { child, ended, printed } = begin(['record', '--out', 'out', '--', process.execPath, 'server.js'])
  const [, pid] = await printed(/pid=(\d+)/)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 143)
  assert.ok(await hasEnded(pid))
})
