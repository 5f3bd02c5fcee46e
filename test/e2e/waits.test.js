'use strict'

// What requests wait for, and where: the pool's threads are few, and the test knows for how long each is held.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { inParallel, report, reportedRequests, request, startApp, temporaryDirectory, traceFiles } = require('./recorded-app')

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))
const HELD = 120 // ms
const TOLERANCE_NS = 10e6 // A busy machine.

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

test('work that no thread of the pool has time for is queueing in the pool', async (t) => {
  const { app, release } = await startPooled(t, 1)
  const blocked = request(app.port, '/blocked')
  await sleep(60)
  const read = request(app.port, '/read')
  await sleep(HELD)
  const released = release()
  const [heldSince, waitsSince] = (await Promise.all([blocked, read])).map(({ body }) => Number(body))
  await app.stop()
  const [holder] = waits(app.out, 'GET /blocked')
  assert.equal(holder.pool.threads, 1)
  lasts(holder, 'work_ns', released - heldSince)
  lasts(holder, 'queue_ns', 0)
  const [waiting] = waits(app.out, 'GET /read')
  assert.equal(waiting.what, 'file /tmp/:id')
  lasts(waiting, 'queue_ns', released - waitsSince)
  lasts(waiting, 'work_ns', 0)
  assert.equal(waiting.pool.unknown_ns, 0)
})

test('with a thread to spare nothing queues', async (t) => {
  const { app, release } = await startPooled(t, 3)
  const blocked = request(app.port, '/blocked')
  await sleep(60)
  await request(app.port, '/read')
  await sleep(HELD)
  release()
  await blocked
  await app.stop()
  const [read] = waits(app.out, 'GET /read')
  lasts(read, 'queue_ns', 0)
  lasts(read, 'work_ns', 0)
  assert.equal(read.pool.threads, 3)
})

test('every wait of the pool is split, whoever waits beside', async (t) => {
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
  const { app } = await startPooled(t, 2)
  for (let i = 0; i < 5; i++) assert.equal((await request(app.port, '/descriptors')).body, 'true')
  await app.stop()
  const names = waits(app.out, 'GET /descriptors').map(({ what }) => what).sort()
  assert.deepEqual(names, ['file /etc', 'file /tmp/:id'])
  for (const file of traceFiles(app.out)) assert.ok(!fs.readFileSync(file, 'latin1').includes('sw0rdfish'), 'no name of a file')
})

test('EDGEWISE_PATHS=1 tells whole paths', async (t) => {
  const { app } = await startPooled(t, 2, { EDGEWISE_PATHS: '1' })
  await request(app.port, '/read')
  await app.stop()
  assert.deepEqual(waits(app.out, 'GET /read').map(({ peer }) => peer), [path.join(fs.realpathSync(app.root), 'shelf/box/sw0rdfish.json')])
})
