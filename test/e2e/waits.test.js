'use strict'

// What requests wait for, and where: the pool's threads are few, and the test knows for how long each is held.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const path = require('node:path')
const test = require('node:test')
const { timedTest } = require('./attempts')
const { inParallel, report, reportedRequests, request, startApp, temporaryDirectory, traceFiles } = require('./recorded-app')

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))
const HELD = 120 // ms
// Node 20 reads directories below others before it returns.
const READS_DIRECTORIES_AT_ONCE = parseInt(process.versions.node) < 22
const TOLERANCE_NS = 20e6 // A busy machine.

/** @param {string} out @param {string} route @returns {any[]} what the requests of a route waited for */
function waits (out, route) {
  return report(out, { route, percentile: 0.001 }).dependencies
}

/** @param {any} row @param {string} key @param {number} ns */
function lasts ({ pool }, key, ns) {
  assert.ok(Math.abs(pool[key] - ns) < TOLERANCE_NS, `${key} is about ${ns} ns: ${JSON.stringify(pool)}`)
}

/** An application whose pool has so many threads, and a pipe that its /blocked waits for. */
async function startPooled (t, threads, env = {}) {
  const fifo = path.join(temporaryDirectory(t), 'fifo')
  execFileSync('mkfifo', [fifo])
  const app = await startApp(t, 'waiting.js', { env: { UV_THREADPOOL_SIZE: String(threads), FIFO: fifo, ...env } })
  /** @returns {number} when */
  const release = () => {
    const at = Number(process.hrtime.bigint())
    fs.closeSync(fs.openSync(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK))
    return at
  }
  return { app, release }
}

timedTest('work that no thread of the pool has time for is queueing in the pool', async (t) => {
  const { app, release } = await startPooled(t, 1)
  await request(app.port, '/read') // So that V8 knows the way.
  const blocked = request(app.port, '/blocked')
  await sleep(60)
  const read = request(app.port, '/read')
  await sleep(HELD)
  const released = release()
  const [heldSince, waitsSince] = (await Promise.all([blocked, read])).map(({ body }) => Number(body))
  await app.stop()
  const [holder] = waits(app.out, 'GET /blocked')
  assert.equal(holder.pool.threads, 1)
  // What the handler does after it has asked, on a busy machine, is no waiting.
  assert.ok(holder.io_ns <= released - heldSince + TOLERANCE_NS && holder.io_ns >= HELD * 1e6, JSON.stringify(holder))
  lasts(holder, 'work_ns', holder.io_ns)
  const [waiting] = waits(app.out, 'GET /read') // Of the two, next to nothing is the first's.
  assert.equal(waiting.what, 'file /tmp/:id')
  assert.ok(waiting.pool.queue_ns <= released - waitsSince + TOLERANCE_NS && waiting.pool.queue_ns >= (HELD - 40) * 1e6, JSON.stringify(waiting))
  lasts(waiting, 'work_ns', 0)
  assert.equal(waiting.pool.unknown_ns, 0)
})

timedTest('with a thread to spare nothing queues', async (t) => {
  const { app, release } = await startPooled(t, 3)
  const blocked = request(app.port, '/blocked')
  await sleep(60)
  for (let i = 0; i < 10; i++) await request(app.port, '/read') // The pool may be faster than a handler.
  await sleep(HELD)
  release()
  await blocked
  await app.stop()
  const [read] = waits(app.out, 'GET /read')
  lasts(read, 'queue_ns', 0)
  lasts(read, 'work_ns', 0)
  assert.equal(read.pool.threads, 3)
})

timedTest('every wait of the pool is split, whoever waits beside', async (t) => {
  const { app } = await startPooled(t, 2)
  await inParallel(300, (number) => request(app.port, number % 3 === 0 ? '/descriptors' : '/read'), 12)
  await app.stop()
  const rows = report(app.out, { percentile: 0.001 }).dependencies.filter((/** @type {any} */ { pool }) => pool !== null)
  assert.ok(rows.length >= 2)
  for (const row of rows) {
    assert.equal(row.pool.unknown_ns, 0, JSON.stringify(row))
    assert.equal(row.pool.queue_ns + row.pool.work_ns, row.io_ns)
    assert.equal(row.pool.threads, 2)
  }
  for (const row of reportedRequests(app.out)) assert.equal(row.io_ns + row.queue_ns + row.exec_ns, row.latency_ns)
})

test('a file is named by where it lies, whatever had its number', async (t) => {
  const { app } = await startPooled(t, 1)
  for (let i = 0; i < 20; i++) assert.equal((await request(app.port, '/descriptors')).body, 'true')
  await app.stop()
  const names = waits(app.out, 'GET /descriptors').map(({ what }) => what).sort()
  assert.deepEqual(names, ['file /etc', 'file /tmp/:id'])
  for (const file of traceFiles(app.out)) assert.ok(!fs.readFileSync(file, 'latin1').includes('sw0rdfish'), 'no name of a file')
})

test('a file that is closed is named, though another has got its number', async (t) => {
  const { app } = await startPooled(t, 1)
  const same = []
  for (let i = 0; i < 5; i++) same.push((await request(app.port, '/reopened')).body)
  await app.stop()
  assert.ok(same.includes('true'), String(same))
  assert.deepEqual(waits(app.out, 'GET /reopened').map(({ what }) => what), ['file /tmp/:id'])
  const { path: [, ...steps] } = report(app.out, { percentile: 0.001 }).slowest[0]
  assert.ok(steps.some(({ type, io_ns: io }) => type === 'fs_close' && io > 1e6), JSON.stringify(steps.map(({ type, io_ns: io }) => [type, io])))
})

test('what works on a whole file or directory is named by where that lies', async (t) => {
  const { app } = await startPooled(t, 1)
  const functions = ['readFile', 'bigReadFile', 'readFilePromise', 'writeFile', 'writeFilePromise', 'appendFile', 'readdirPromise']
  if (!READS_DIRECTORIES_AT_ONCE) functions.push('readdir')
  const closing = ['opendir', 'opendirSync', 'cp', 'cpPromise'] // Which directory is closed libuv does not tell.
  for (const name of [...functions, ...closing]) assert.equal((await request(app.port, `/whole/${name}`)).body, name)
  await app.stop()
  for (const name of [...functions, ...closing]) {
    const names = waits(app.out, `GET /whole/${name}`).map(({ what }) => what).filter((what) => what !== 'file' || !closing.includes(name))
    assert.deepEqual(names, ['file /tmp/:id'], name)
  }
})

test('a job of the pool is named by its kind, and an addon\'s by the addon', async (t) => {
  const { app } = await startPooled(t, 2)
  for (const route of ['hashed', 'deflated', 'analysed']) assert.equal((await request(app.port, `/${route}`)).body, route)
  await app.stop()
  const [hashed, deflated, analysed] = ['hashed', 'deflated', 'analysed'].map((route) => waits(app.out, `GET /${route}`).map(({ what }) => what))
  assert.deepEqual([hashed, deflated], [['thread pool crypto'], ['thread pool zlib']])
  assert.ok(analysed.includes('thread pool edgewise-report.node'), JSON.stringify(analysed))
})

timedTest('what V8 goes on with itself is execution', async (t) => {
  const app = await startApp(t, 'waiting.js')
  for (let i = 0; i < 3; i++) await request(app.port, '/tasked')
  await app.stop()
  const requests = reportedRequests(app.out)
  assert.equal(requests.length, 3)
  for (const { io_ns: io, exec_ns: execution } of requests) {
    assert.ok(execution > 28e6, `execution ${execution} ns`)
    assert.ok(io < 40e6 + TOLERANCE_NS / 4, `I/O ${io} ns`)
  }
})

test('EDGEWISE_PATHS=1 tells whole paths', async (t) => {
  const { app } = await startPooled(t, 2, { EDGEWISE_PATHS: '1' })
  await inParallel(40, () => request(app.port, '/read')) // Some wait: the pool may be faster than a handler.
  await app.stop()
  assert.deepEqual(waits(app.out, 'GET /read').map(({ peer }) => peer), [path.join(fs.realpathSync(app.root), 'shelf/box/sw0rdfish.json')])
})

test('a child process is named by its program, whatever of it is waited for', async (t) => {
  const { app } = await startPooled(t, 4)
  // What a handler does after it has begun the program is no waiting; at first V8 compiles it.
  for (let round = 0; round < 2; round++) for (const url of ['/ended', '/said', '/messaged']) await request(app.port, url)
  await app.stop()
  for (const [route, program] of Object.entries({ ended: 'sleep', said: 'sh', messaged: path.basename(process.execPath) })) {
    const [row] = waits(app.out, `GET /${route}`)
    assert.deepEqual([row.what, row.kind, row.peer], [`process ${program}`, 'process', program])
    const last = reportedRequests(app.out).filter((each) => each.route === `GET /${route}`).at(-1)
    assert.ok(last.io_ns >= (HELD - 2) * 1e6, `${route}: ${JSON.stringify(last)}`)
  }
  for (const file of traceFiles(app.out)) assert.ok(!fs.readFileSync(file, 'latin1').includes('sw0rdfish'), 'no argument')
})

/** A server of this process that answers after HELD ms. */
async function startBackend (t, module, options) {
  const server = module.createServer(options, (/** @type {any} */ _, /** @type {any} */ answer) => setTimeout(() => answer.end('answer'), HELD))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections() || server.close())
  return server.address().port
}

const TLS = Object.fromEntries(['key', 'cert'].map((what, i) => [what, fs.readFileSync(path.join(__dirname, 'apps/tls', ['key.pem', 'certificate.pem'][i]))]))

test('peers have the names that were resolved to their addresses', async (t) => {
  const { app } = await startPooled(t, 4)
  const port = await startBackend(t, http)
  for (let i = 0; i < 3; i++) await request(app.port, `/called/http/${port}/users/42`)
  await request(app.port, '/closed')
  await app.stop()
  const rows = waits(app.out, 'GET /called/http/:id/users/:id')
  const row = rows.find(({ kind }) => kind === 'http')
  assert.deepEqual([row.what, row.calls], [`http localhost (127.0.0.1:${port})`, 3])
  assert.ok(row.io_ns >= 3 * (HELD - 2) * 1e6)
  assert.equal(row.retransmits, 0)
  assert.ok(row.rtt_us > 0 && row.rtt_us < 100_000, `a round trip of the loopback: ${row.rtt_us} us`)
})

test('streams of one HTTP/2 session have the names of what each asks', async (t) => {
  const { app } = await startPooled(t, 4)
  const server = http2.createServer().on('stream', (stream, headers) => {
    setTimeout(() => {
      stream.respond()
      stream.end('answer')
    }, String(headers[':path']).startsWith('/slow') ? HELD : HELD / 3)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {any} */ (server.address())
  const get = (/** @type {string} */ asked) => request(app.port, `/streamed/${port}/${asked}`)
  await get('first') // The session begins with it.
  for (let i = 0; i < 3; i++) await Promise.all(['slow/1', 'fast/2', 'pets.Shop/Buy', 'fast/3'].map(get))
  app.child.kill()
  await app.ended
  const routes = { 'slow/:id': 'h2 GET /slow/:id', 'fast/:id': 'h2 GET /fast/:id', 'pets.Shop/Buy': 'grpc /pets.Shop/Buy' }
  for (const [asked, name] of Object.entries(routes)) {
    const out = report(app.out, { route: `GET /streamed/:id/${asked}`, percentile: 0.001 })
    const calls = out.slowest.map(({ path }) => path.filter(({ call, io_ns: ns }) => call && ns > 5e6).map(({ call }) => call))
    assert.ok(calls.length >= 3, `${asked}: ${JSON.stringify(calls)}`)
    for (const each of calls) assert.deepEqual(each, [name], `${asked}: ${JSON.stringify(calls)}`)
    const row = out.dependencies[0]
    assert.equal(row.what, `${name.split(' ')[0]} localhost (127.0.0.1:${port})`, JSON.stringify(out.dependencies))
    assert.equal(row.calls, out.requests.count)
  }
})

for (const [how, env] of Object.entries({ called: {}, fetched: { NODE_EXTRA_CA_CERTS: path.join(__dirname, 'apps/tls/certificate.pem') } })) {
  test(`${how}: what TLS hides is told by who asks`, async (t) => {
    const { app } = await startPooled(t, 4, env)
    const port = await startBackend(t, https, TLS)
    for (let i = 0; i < 4; i++) assert.equal((await request(app.port, `/${how}/https/${port}/users/42`)).body, how)
    await app.stop()
    const out = report(app.out, { percentile: 0.001 })
    const row = out.dependencies[0]
    assert.equal(row.what, `https localhost (127.0.0.1:${port})`)
    assert.ok(row.calls >= 2, JSON.stringify(out.dependencies))
    const calls = out.slowest.flatMap(({ path }) => path.map(({ call }) => call))
    assert.ok(calls.filter((call) => call === 'https GET /users/:id').length >= 3, JSON.stringify(calls))
    for (const file of traceFiles(app.out)) assert.ok(!fs.readFileSync(file, 'latin1').includes('sw0rdfish'), 'no query')
  })
}
