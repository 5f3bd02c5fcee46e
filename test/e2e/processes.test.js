'use strict'

// All ways a process can be recorded, and all processes and threads of one
// application in one directory.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const test = require('node:test')
const { send } = require('../../lib/control')
const { REGISTER, ROOT, inParallel, plainEnvironment, report, reportedRequests, request, startApp, temporaryDirectory, traceFiles } = require('./recorded-app')

const COUNT = 60
const viaNodeOptions = { register: null, env: { NODE_OPTIONS: `--require ${JSON.stringify(REGISTER)}` } }

test('a cluster worker, a worker thread and a child process record into one directory', async (t) => {
  // A child process inherits the variable, not its parent's flags.
  const app = await startApp(t, 'processes.js', viaNodeOptions)
  const { worker, thread, child } = app.started
  for (const port of [worker, thread, child]) {
    await inParallel(COUNT, (number) => request(port, `/timer/${number}`))
  }
  const { code } = await app.stop()
  assert.deepEqual([code, app.stderr], [0, ''])
  const { requests, processes, events, problems } = report(app.out)
  assert.deepEqual([requests.count, requests.lost, events.dropped, problems], [3 * COUNT, 0, 0, []])
  assert.equal(processes, 3)
  const byPlace = new Map()
  for (const row of reportedRequests(app.out)) {
    const place = `${row.process} ${row.thread}`
    byPlace.set(place, (byPlace.get(place) ?? 0) + 1)
  }
  assert.deepEqual([...byPlace.values()], [COUNT, COUNT, COUNT])
  assert.equal([...byPlace.keys()].filter((place) => !place.endsWith(' 0')).length, 1, 'one of them a thread')
  assert.ok(traceFiles(app.out).length >= 4)
})

for (const EDGEWISE_ENABLED of ['1', '0']) {
  test(`a new worker does what the process was told last, whatever its environment: EDGEWISE_ENABLED=${EDGEWISE_ENABLED}`, async (t) => {
    const app = await startApp(t, 'workers.js', { env: { EDGEWISE_ENABLED } })
    const check = async (/** @type {boolean} */ recording) => {
      for (const url of ['/', '/own-environment']) {
        const { body } = await request(app.port, url)
        assert.deepEqual(JSON.parse(body), recording ? { recording, directory: app.out } : { recording }, url)
      }
    }
    await check(EDGEWISE_ENABLED === '1')
    for (const command of ['off', 'on', 'off']) {
      await send(app.child.pid, command)
      await check(command === 'on')
    }
    assert.deepEqual([(await app.stop()).code, app.stderr], [0, ''])
  })
}

const entries = [
  { name: 'an ES module with --import', file: 'module.mjs', options: { register: null, flags: ['--import', pathToFileURL(REGISTER).href] } },
  { name: 'an ES module with --require', file: 'module.mjs', options: {} },
  { name: 'NODE_OPTIONS', file: 'http.js', options: viaNodeOptions },
  { name: '--require of the package by name', file: 'http.js', options: { register: null, flags: ['--require', path.join(path.dirname(REGISTER), 'register')] } }
]

for (const { name, file, options } of entries) {
  test(name, async (t) => {
    const app = await startApp(t, file, options)
    await inParallel(COUNT, (number) => request(app.port, `/user/${number}`))
    const { code } = await app.stop()
    assert.deepEqual([code, app.stderr], [0, ''])
    const { requests, routes } = report(app.out)
    assert.deepEqual([requests.count, routes[0].route], [COUNT, 'GET /user/:id'])
  })
}

test('NODE_OPTIONS records neither the command line nor the load that it runs', (t) => {
  const directory = temporaryDirectory(t)
  const out = path.join(directory, 'trace')
  // As npm links it.
  const program = path.join(directory, 'edgewise')
  fs.symlinkSync(path.join(ROOT, 'bin/edgewise.js'), program)
  const server = 'require("node:http").createServer().listen(0)'
  const { status, stderr } = spawnSync(process.execPath, [program, 'profile', '--load', '"$NODE" -e 0', '--', process.execPath, '-e', server],
    { env: { ...plainEnvironment(), ...viaNodeOptions.env, EDGEWISE_OUT: out, NODE: process.execPath }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.equal(traceFiles(out).length, 1)
})

for (const end of ['stop', 'exit']) {
  test(`a worker that records alone, and ends ${end === 'stop' ? 'after it has stopped' : 'while it records'}`, async (t) => {
    const app = await startApp(t, 'worker-only.js', { register: null, flags: ['--expose-gc'], env: { END_WITH: end } })
    await inParallel(COUNT, (number) => request(app.port, `/user/${number}`))
    const { code, signal } = await app.stop()
    assert.deepEqual([code, signal, app.stderr], [0, null, ''])
    const { requests, problems } = report(app.out)
    assert.deepEqual([requests.count, problems], [COUNT, []])
  })
}

const LOADED = `
  require('node:http').createServer().listen(0, () => {
    const builtins = ['http2', 'tls', 'v8'].filter((name) => process.moduleLoadList.includes('NativeModule ' + name))
    const own = Object.keys(require.cache).filter((file) => /(recorder|boosting|following|http|koa|promises|timers).js$|[.]node$/.test(file))
    process.stdout.write(JSON.stringify({ builtins, own: own.length }))
    process.exit()
  })`

// What is loaded is gone through by each full collection, which costs Express 1 % a MB. Nor is the control socket that a killed process
// left, to which we connect, something that requests share: promises are followed from there on, with node:v8.
for (const [EDGEWISE_ENABLED, own] of /** @type {[string, number][]} */ ([['0', 0], ['1', 7]])) {
  test(`what nobody needs is not loaded: EDGEWISE_ENABLED=${EDGEWISE_ENABLED}`, (t) => {
    const directory = temporaryDirectory(t)
    const env = { ...plainEnvironment(), EDGEWISE_ENABLED, EDGEWISE_OUT: path.join(directory, 'trace'), XDG_RUNTIME_DIR: directory }
    const killed = spawnSync(process.execPath, ['--require', REGISTER, '-e', 'process.kill(process.pid, "SIGKILL")'], { env })
    const [sockets] = fs.readdirSync(directory).filter((name) => name.startsWith('edgewise-'))
    assert.deepEqual(fs.readdirSync(path.join(directory, sockets)), [`${killed.pid}.sock`])
    const { stdout, stderr } = spawnSync(process.execPath, ['--require', REGISTER, '-e', LOADED], { encoding: 'utf8', env })
    assert.deepEqual([JSON.parse(stdout), stderr], [{ builtins: [], own }, ''])
  })
}
