'use strict'

// Calls of the system that are not the loop's, on numbers that its files had,
// or that come where none is expected.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const test = require('node:test')
const { buildAddon } = require('../build-addon')
const { inParallel, report, reportedRequests, request, startApp, traceFiles } = require('./recorded-app')

const KIND = { event: 1, requestStart: 4, requestEnd: 5, string: 6 }
const HEADER_BYTES = 96
const RECORD_BYTES = 32

/** @param {string} file @returns {{ kind: number, aux: number }[]} as docs/trace-format.md has them */
function recordsOf (file) {
  const data = fs.readFileSync(file)
  const records = []
  for (let chunk = 0; chunk < data.length;) {
    const begin = chunk + HEADER_BYTES
    const end = begin + data.readUInt32LE(chunk + 8)
    for (let at = data.readUInt16LE(chunk + 6) === 2 ? begin : end; at < end; at += RECORD_BYTES) {
      const kind = data.readUInt8(at + 26)
      records.push({ kind, aux: data.readUInt32LE(at + 28) })
      if (kind === KIND.string) at += RECORD_BYTES * Math.ceil(data.readUInt32LE(at + 16) / RECORD_BYTES)
    }
    chunk = end
  }
  return records
}

test('a child process is waited for within one event', async (t) => {
  const app = await startApp(t, 'http.js')
  // Connections leave the numbers that the child's pipes get.
  const agent = new http.Agent({ keepAlive: true, maxSockets: 12 })
  for (let round = 0; round < 5; round++) {
    await inParallel(60, (number) => request(app.port, `/timer/${number}`, { agent }), 12)
    agent.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await request(app.port, '/spawn')
  }
  await app.stop()
  const spawned = reportedRequests(app.out).filter(({ route }) => route === 'GET /spawn')
  assert.equal(spawned.length, 5)
  const records = traceFiles(app.out).flatMap(recordsOf)
  for (const { id, exec_ns: ns } of spawned) {
    const begin = records.findIndex(({ kind, aux }) => kind === KIND.requestStart && aux === id)
    const end = records.findIndex(({ kind, aux }) => kind === KIND.requestEnd && aux === id)
    assert.deepEqual(records.slice(begin, end).filter(({ kind }) => kind === KIND.event), [], 'no event ends in between')
    assert.ok(ns >= 39e6, `all of its work is its own: ${ns} ns`)
  }
})

test('an accepted connection is watched as one, whatever had its number', async (t) => {
  const app = await startApp(t, 'http.js')
  for (let round = 0; round < 3; round++) {
    const agent = new http.Agent({ keepAlive: true })
    const keepAlive = new http.Agent({ keepAlive: true })
    const number = Number((await request(app.port, '/outgoing', { agent })).body)
    await request(app.port, '/user/1', { agent: keepAlive })
    const { fd, waiting } = JSON.parse((await request(app.port, '/watchers', { agent: keepAlive })).body)
    assert.deepEqual([fd, waiting], [number, 2]) // The loop, and the watcher as a client's.
    agent.destroy()
    keepAlive.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await app.stop()
})

const BOOSTED = { EDGEWISE_ENABLED: '0', EDGEWISE_BOOST: 'queue', EDGEWISE_BOOST_ACTUATOR: 'log' }
// Asking when the thread did not run reads a file, too.
const RECORDED = { EDGEWISE_OFF_CPU: '0' }
for (const [what, env] of Object.entries({ recorded: RECORDED, boosted: BOOSTED })) {
  test(`${what}: connections are read and written as sockets, files that get their numbers as files`, async (t) => {
    const app = await startApp(t, 'http.js', { env })
    const get = async (/** @type {string} */ url, /** @type {http.Agent} */ agent) => JSON.parse((await request(app.port, url, { agent })).body)
    const agents = Array.from({ length: 5 }, () => new http.Agent({ keepAlive: true }))
    const before = await Promise.all(agents.map((agent) => get('/calls', agent)))
    for (let round = 0; round < 40; round++) await Promise.all(agents.map((agent) => request(app.port, '/user/1', { agent })))
    const after = await get('/calls', agents[0])
    for (const calls of ['reads', 'writes']) {
      const of200 = after[calls] - Math.max(...before.map((answer) => answer[calls]))
      assert.ok(of200 < 100, `200 requests make ${of200} ${calls} of files`)
    }
    for (const agent of agents) agent.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const { written, read } = await get('/files', new http.Agent())
    const numbers = new Set(before.map(({ fd }) => fd))
    assert.ok(written.some((fd) => numbers.has(fd)), `${written} had been connections: ${[...numbers]}`)
    assert.ok(read.some(({ fd }) => numbers.has(fd)))
    for (const { text } of read) assert.equal(text, 'one two three')
    assert.equal((await request(app.port, '/user/1')).body, 'user\n')
    await app.stop()
  })
}

test('parts that are written together arrive as they are, few or many, small or large', async (t) => {
  const app = await startApp(t, 'http.js')
  const agent = new http.Agent({ keepAlive: true })
  const boundary = Array.from({ length: 100 }, (_, i) => [30, 1700 + 4 * i]) // With its head such a response has 2048 bytes at some time.
  for (const sizes of [[1], [10, 20], Array(26).fill(7), [5000, 1], [1, 70_000, 3], ...boundary]) {
    const { body } = await request(app.port, `/parts/${sizes.join()}`, { agent })
    assert.equal(body, sizes.map((size, i) => String.fromCharCode(97 + i).repeat(size)).join(''), `parts of ${sizes.join(', ')} bytes`)
  }
  agent.destroy()
  await app.stop()
})

test('a worker that ends leaves the connections of others alone that have its numbers', async (t) => {
  const app = await startApp(t, 'leaving-worker.js')
  const first = new http.Agent({ keepAlive: true })
  const number = (await request(app.port, '/worker', { agent: first })).body
  const agents = [first]
  do {
    assert.ok(agents.length < 20, `no connection has the number ${number}`)
    agents.push(new http.Agent({ keepAlive: true }))
  } while ((await request(app.port, '/fd', { agent: agents.at(-1) })).body !== number)
  await request(app.port, '/end', { agent: first })
  const busy = request(app.port, '/busy', { agent: first })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await Promise.all([busy, request(app.port, '/late', { agent: agents.at(-1) })])
  for (const agent of agents) agent.destroy()
  await app.stop()
  const { latency_ns: latency } = reportedRequests(app.out).find(({ route }) => route === 'GET /late')
  assert.ok(latency >= 50e6, `${latency} ns, behind 100 ms`)
})

test('signals that come all the time', async (t) => {
  const app = await startApp(t, 'http.js', { env: { ON_SIGNAL: 'SIGUSR2' } })
  const storm = spawn(process.execPath, ['-e', `
    setInterval(() => { for (let i = 0; i < 500; i++) process.kill(${app.child.pid}, 'SIGUSR2') }, 2)`], { stdio: 'ignore' })
  t.after(() => storm.kill('SIGKILL'))
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  t.after(() => agent.destroy())
  await inParallel(3000, (number) => request(app.port, `/${number % 2 ? 'timer' : 'file'}/${number}`, { agent }))
  storm.kill('SIGKILL')
  await app.stop()
  assert.equal(app.stderr, '')
  const { requests, events, problems } = report(app.out)
  assert.deepEqual([requests.count, requests.lost, events.dropped, problems], [3000, 0, 0, []])
  for (const row of reportedRequests(app.out)) assert.equal(row.io_ns + row.queue_ns + row.exec_ns, row.latency_ns)
})

test('a callback that turns the loop', async (t) => {
  const app = await startApp(t, 'turning.js', { env: { WORK_ADDON: await buildAddon('test/addon/work.cc', process.execPath) } })
  for (let number = 0; number < 20; number++) {
    const { body } = await request(app.port, `/user/${number}`)
    assert.deepEqual(body.split(' ').sort(), ['first', 'inner', 'second', 'third'])
  }
  assert.deepEqual(await app.stop(), { code: 0, signal: null })
  assert.equal(report(app.out).requests.count, 20)
})
