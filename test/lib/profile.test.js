'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { pathToFileURL } = require('node:url')
const { freePort } = require('../../benchmarks/apps/service')
const { hasEnded, packageCopy } = require('./package-copy')

const NODE = process.execPath
const SERVER = `require('node:http').createServer((request, response) => { console.log('asked ' + request.url); response.end('ok') })
  .listen(Number(process.argv[2] || 0), process.argv[3], function () { console.log('app listens on ' + this.address().port) })`
const LOAD = 'test "$URL" && "$NODE" -e \'fetch(process.env.URL + "/from-load").then((r) => r.text()).then((t) => console.log("load got " + t + " from " + process.env.PORT))\''

test('finds the port, runs the load with it, stops the server, reports', (t) => {
  const { cwd, run, write } = packageCopy(t)
  write('server.js', SERVER)
  const { status, stdout, stderr } = run(['profile', '--out', 'out', '--load', LOAD, '--percentile', '99.9', '--', NODE, 'server.js'], { NODE })
  assert.equal(status, 0, stderr)
  const [, port] = /** @type {RegExpExecArray} */ (/app listens on (\d+)/.exec(stderr))
  assert.match(stderr, new RegExp(`^edgewise: the server listens on http://127.0.0.1:${port}; load: `, 'm'))
  assert.match(stderr, new RegExp(`^load got ok from ${port}$`, 'm'))
  assert.match(stderr, /^asked \/from-load$/m)
  assert.match(stderr, /^edgewise: stopping the server$/m)
  assert.match(stdout, /^p99 requests are /)
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(cwd, 'out/asked.json'), 'utf8')), { percentile: 99.9, columns: true, stacks: true, slowest: 100, scratch: [path.join(cwd, 'out'), os.tmpdir()] })
  assert.equal(stderr.trim().split('\n').at(-1), `edgewise: page: ${pathToFileURL(path.join(cwd, 'out/report.html'))}`)
  // The load is not recorded.
  assert.equal(fs.readdirSync(path.join(cwd, 'out')).filter((name) => name.endsWith('.ewt')).length, 1)
})

const WITHOUT_PROC = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /proc && exec "$@"', 'sh']
const canBeWithout = spawnSync(WITHOUT_PROC[0], [...WITHOUT_PROC.slice(1), 'true'], { encoding: 'utf8' })

test('what could not be stopped is not started', { skip: canBeWithout.status !== 0 && `/proc cannot be taken away here: ${canBeWithout.error ?? canBeWithout.stderr}` }, (t) => {
  const { cwd, root, write } = packageCopy(t)
  write('server.js', 'require("node:fs").writeFileSync("started", "")')
  for (const command of ['profile', 'record']) {
    const args = [NODE, path.join(root, 'bin/edgewise.js'), command, ...command === 'profile' ? ['--for', '1'] : [], '--', NODE, 'server.js']
    const { status, stderr } = spawnSync(WITHOUT_PROC[0], [...WITHOUT_PROC.slice(1), ...args], { cwd, encoding: 'utf8', timeout: 20_000 })
    assert.equal(status, 1, stderr)
    assert.match(stderr, /^edgewise: cannot start ".*", as it could not be stopped: \/proc is not there/m)
    assert.equal(fs.existsSync(path.join(cwd, 'started')), false)
  }
})

// Prints what it was called with, and its mix.
const GENERATOR = `#!${NODE}
const mix = process.argv.indexOf('--mix')
console.log('generator ' + process.argv.slice(2).join(' ') + (mix < 0 ? '' : ' ' + require('node:fs').readFileSync(process.argv[mix + 1], 'utf8')))
`

test('the load of our own: one path, several, a mix, and how fast', (t) => {
  const { cwd, root, run, write } = packageCopy(t)
  write('server.js', SERVER)
  const without = run(['profile', '--url', '/', '--', NODE, 'server.js'])
  assert.equal(without.status, 1)
  assert.match(without.stderr, /^edgewise: the load generator is not there \(.*\): give the load with --load, such as --load 'npx autocannon -d 20 \$URL'\n$/)
  const place = path.join(root, 'build', 'benchmarks', 'load')
  fs.mkdirSync(place, { recursive: true })
  fs.writeFileSync(path.join(place, 'edgewise-load'), GENERATOR, { mode: 0o700 })
  const one = run(['profile', '--url', '/a?b=it\'s', '--', NODE, 'server.js'])
  assert.equal(one.status, 0, one.stderr)
  assert.match(one.stderr, /^generator --rate 50 --duration 20 --progress http:\/\/127\.0\.0\.1:\d+\/a\?b=it's$/m)
  const two = run(['profile', '--url', '/a', '--url', '/b', '--rate', '7', '--for', '3', '--', NODE, 'server.js'])
  assert.match(two.stderr, /^generator --rate 7 --duration 3 --progress --mix (\S+) http:\S+ \{"requests":\[\{"name":"GET \/a","weight":1,"method":"GET","path":"\/a"\},\{"name":"GET \/b","weight":1,"method":"GET","path":"\/b"\}\]\}$/m)
  const [, file] = /--mix (\S+)/.exec(two.stderr.slice(two.stderr.indexOf('\ngenerator'))) ?? []
  assert.equal(fs.existsSync(path.dirname(file)), false)
  write('mix.json', '{"mine":1}')
  assert.match(run(['profile', '--mix', 'mix.json', '--', NODE, 'server.js']).stderr, /^generator .* \{"mine":1\}$/m)
  assert.ok(fs.existsSync(path.join(cwd, 'mix.json')))
  for (const [args, said] of /** @type {[string[], RegExp][]} */ ([
    [['--url', 'http://other.test/'], /a path such as \/todos\?page=1/],
    [['--rate', '0'], /from 0\.001 to 1000000/],
    [['--url', '/', '--load', 'true'], /--url <PATH>' cannot be used with option '--load/]
  ])) {
    const { status, stderr } = run(['profile', ...args, '--', NODE, 'server.js'])
    assert.equal(status, 2)
    assert.match(stderr, said)
  }
})

test('every recorder of the server writes out what it holds before the server is stopped', (t) => {
  const { cwd, run, write } = packageCopy(t)
  write('cluster.js', `const cluster = require('node:cluster')
if (cluster.isPrimary) cluster.fork(); else { ${SERVER} }`)
  const { status } = run(['profile', '--out', 'out', '--load', LOAD, '--', NODE, 'cluster.js'], { NODE, FAKE_CONTROL: '1' })
  assert.equal(status, 0)
  const ends = (/** @type {string} */ suffix) => fs.readdirSync(path.join(cwd, 'out')).filter((name) => name.endsWith(suffix)).map((name) => parseInt(name)).sort()
  assert.equal(ends('.off').length, 2)
  assert.deepEqual(ends('.off'), ends('.ewt'))
})

test('--json leaves nothing else on stdout', (t) => {
  const { run, write } = packageCopy(t)
  write('server.js', SERVER)
  const { stdout } = run(['profile', '--json', '--load', LOAD, '--', NODE, 'server.js'], { NODE })
  assert.equal(JSON.parse(stdout).schema, 1)
})

test('a server behind a shell, on IPv6, and in a cluster is found', (t) => {
  const { run, write } = packageCopy(t)
  write('server.js', SERVER)
  const shell = run(['profile', '--load', LOAD, '--', 'sh', '-c', 'true; "$NODE" server.js; true'], { NODE })
  assert.equal(shell.status, 0, shell.stderr)
  const six = run(['profile', '--load', LOAD, '--', NODE, 'server.js', '0', '::1'], { NODE })
  assert.match(six.stderr, /listens on http:\/\/\[::1\]:\d+; /)
  assert.match(six.stderr, /^load got ok /m)
  write('only-six.js', SERVER.replace(/listen\(.*, function/, "listen({ port: 0, host: '::', ipv6Only: true }, function"))
  const onlySix = run(['profile', '--load', LOAD, '--', NODE, 'only-six.js'], { NODE })
  assert.match(onlySix.stderr, /listens on http:\/\/\[::1\]:\d+; /)
  assert.match(onlySix.stderr, /^load got ok /m)
  write('cluster.js', `const cluster = require('node:cluster')
if (cluster.isPrimary) cluster.fork(); else { ${SERVER} }`)
  const clustered = run(['profile', '--load', LOAD, '--', NODE, 'cluster.js'], { NODE })
  assert.match(clustered.stderr, /^load got ok /m)
  assert.equal(clustered.status, 0, clustered.stderr)
})

test('--port waits for that one of several, and refuses one that is taken', async (t) => {
  const { run, write } = packageCopy(t)
  const port = await freePort()
  const probe = http.createServer().listen(port, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  write('two.js', `require('node:net').createServer().listen(0); setTimeout(() => { ${SERVER} }, 300)`)
  const taken = run(['profile', '--port', String(port), '--load', LOAD, '--', NODE, 'two.js', String(port)], { NODE })
  assert.equal(taken.status, 1)
  assert.equal(taken.stderr, `edgewise: port ${port} is taken by another process: stop it, or let the server listen elsewhere\n`)
  await new Promise((resolve) => probe.close(resolve))
  const { status, stderr } = run(['profile', '--port', String(port), '--load', LOAD, '--', NODE, 'two.js', String(port)], { NODE })
  assert.equal(status, 0, stderr)
  assert.match(stderr, new RegExp(`listens on http://127.0.0.1:${port}; `))
})

test('--for ends a load that does not end', (t) => {
  const { run, write } = packageCopy(t)
  write('server.js', SERVER)
  const { status, stdout, stderr } = run(['profile', '--for', '0.3', '--load', 'sleep 60; echo late', '--', NODE, 'server.js'])
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /^late$/m)
  assert.match(stdout, /^p99 requests/)
})

test('without a load: --for, the command\'s own end, or Ctrl-C end it, and the report comes', async (t) => {
  const { begin, run, write } = packageCopy(t)
  write('server.js', SERVER)
  const timed = run(['profile', '--for', '0.3', '--', NODE, 'server.js'])
  assert.deepEqual([timed.status, timed.stdout.slice(0, 12)], [0, 'p99 requests'])
  const own = run(['profile', '--', NODE, '-e', '0'])
  assert.deepEqual([own.status, own.stdout.slice(0, 12)], [0, 'p99 requests'])
  const { child, ended, printed } = begin(['profile', '--', NODE, 'server.js'])
  await printed(/app listens/)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.deepEqual([code, stdout.slice(0, 12)], [0, 'p99 requests'])
})

for (const { signal, exitCode } of /** @type {const} */ ([{ signal: 'SIGINT', exitCode: 130 }, { signal: 'SIGQUIT', exitCode: 131 }])) {
  test(`${signal} during the load stops everything and exits with ${exitCode}`, async (t) => {
    const { begin, write } = packageCopy(t)
    write('server.js', SERVER + '\nconsole.log("app " + process.pid)')
    const { child, ended, printed } = begin(['profile', '--load', 'echo load $$; sleep 60', '--', NODE, 'server.js'])
    const pids = [(await printed(/app (\d+)/))[1], (await printed(/load (\d+)/))[1]]
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    assert.deepEqual([code, stdout], [exitCode, ''])
    assert.match(stderr, /^edgewise: interrupted; what was recorded is in /m)
    for (const pid of pids) assert.ok(await hasEnded(pid), pid)
  })
}

test('Ctrl-C before the server listens stops it too; a second one kills', async (t) => {
  const { begin, write } = packageCopy(t)
  write('deaf.js', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("app " + process.pid)')
  const { child, ended, printed } = begin(['profile', '--load', 'true', '--', NODE, 'deaf.js'])
  const [, pid] = await printed(/app (\d+)/)
  child.kill('SIGINT')
  await printed(/stopping the server/)
  child.kill('SIGINT')
  assert.equal((await ended).code, 130)
  assert.ok(await hasEnded(pid))
})

test('what goes wrong is said; what was recorded is reported all the same', (t) => {
  const { run, write } = packageCopy(t)
  write('server.js', SERVER)
  const dead = run(['profile', '--load', 'true', '--', NODE, '-e', 'process.exit(5)'])
  assert.equal(dead.status, 1)
  assert.match(dead.stderr, /the server ended with exit code 5 before it listened on a port\n$/)
  const daemon = run(['profile', '--load', 'true', '--', NODE, '-e', '0'])
  assert.match(daemon.stderr, /the server ended with exit code 0 before it listened on a port; one that puts itself into the background must be told to stay in the foreground\n$/)
  const off = run(['profile', '--for', '0.1', '--', NODE, '-e', '0'], { EDGEWISE_ENABLED: '0' })
  assert.match(off.stderr, /^edgewise: EDGEWISE_ENABLED=0: nothing is recorded before `edgewise on PID`\n/)
  const deaf = run(['profile', '--wait', '0.3', '--load', 'true', '--', NODE, '-e', 'setInterval(() => {}, 1000)'])
  assert.equal(deaf.status, 1)
  assert.match(deaf.stderr, /the server did not listen on a TCP port within 0\.3 s; --wait allows more, --port names the port\n$/)
  const load = run(['profile', '--load', 'exit 9', '--', NODE, 'server.js'])
  assert.equal(load.status, 1)
  assert.match(load.stderr, /the load ended with exit code 9: exit 9\n$/)
  assert.match(load.stdout, /^p99 requests/)
  write('dying.js', SERVER + '\nsetTimeout(() => process.exit(4), 400)')
  const dying = run(['profile', '--load', 'sleep 60', '--', NODE, 'dying.js'])
  assert.equal(dying.status, 1)
  assert.match(dying.stderr, /the server ended with exit code 4 before the load was over\n$/)
  assert.match(dying.stdout, /^p99 requests/)
  const other = run(['profile', '--for', '0.2', '--', 'sleep', '5'])
  assert.equal(other.status, 1)
  assert.match(other.stderr, /no trace was written to /)
  const missing = run(['profile', '--', 'no-such-program'], { PATH: '/usr/bin:/bin' })
  assert.deepEqual([missing.status, missing.stderr.split('\n')[1]], [1, 'edgewise: cannot start "no-such-program": no such program'])
})

test('--node patched says that it is not built', (t) => {
  const { run } = packageCopy(t)
  const { status, stderr } = run(['profile', '--node', 'patched', '--', NODE, '-e', '0'])
  assert.equal(status, 1)
  assert.match(stderr, /^edgewise: --node patched: it is not built; next step: npm run build:node /)
})
