'use strict'

// An event that runs for too long is told while it lasts, and when it is over.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { ROOT, request, startApp } = require('./recorded-app')
const { report } = require('../../lib')

const STALL_MS = 50
const WRITTEN_WITHIN_MS = 10_000
const SOURCE = fs.readFileSync(path.join(__dirname, 'apps/stalls.js'), 'utf8').split('\n')
const lineOf = (/** @type {string} */ text) => SOURCE.findIndex((line) => line.includes(text)) + 1

/** @returns {Promise<any>} */
const stalling = (t, env = {}) => startApp(t, 'stalls.js', { env: { EDGEWISE_STALL_MS: String(STALL_MS), ...env } })
const lines = (/** @type {any} */ app) => app.stderr.split('\n').filter((/** @type {string} */ line) => line.includes('is busy for'))
/** @returns {Promise<any[]>} what the application was told */
const toldBy = async (/** @type {any} */ app) => JSON.parse((await request(app.port, '/told')).body)

test('the line comes while the loop is busy, with route, function and place', async (t) => {
  const app = await stalling(t)
  const answer = request(app.port, '/spin/4711?token=secret')
  const said = new Promise((resolve) => app.child.stderr.on('data', () => lines(app).length > 0 && resolve('said')))
  assert.equal(await Promise.race([answer.then(() => 'answered'), said]), 'said')
  const [line] = lines(app)
  assert.match(line, new RegExp(`^edgewise: the event loop is busy for 0\\.\\d\\d s: GET /spin/:id, in spinning \\(.*stalls\\.js:${lineOf('while (performance.now()')}:\\d+\\)$`))
  await answer
  const [stall, ...more] = await toldBy(app)
  assert.deepEqual(more, [])
  assert.ok(stall.ms > 290 && stall.ms < 600, String(stall.ms))
  assert.deepEqual([stall.route, stall.function, path.basename(stall.script), stall.line], ['GET /spin/:id', 'spinning', 'stalls.js', lineOf('while (performance.now()')])
  await app.stop()
})

test('what begins no request has no route, and short events are none', async (t) => {
  const app = await stalling(t)
  await request(app.port, '/short')
  await request(app.port, '/later')
  await request(app.port, '/native')
  const [later, native, ...more] = await toldBy(app)
  assert.deepEqual(more, [])
  assert.deepEqual([later.route, later.function], [null, 'spinning'])
  // V8 answers when it has come back.
  assert.deepEqual([native.route, native.function], ['GET /native', 'hashing'])
  assert.equal(lines(app).length, 1, 'one line in ten seconds')
  await app.stop()
})

test('in flight mode a stall writes what led to it', async (t) => {
  const app = await stalling(t, { EDGEWISE_MODE: 'flight', EDGEWISE_STACKS: '100' })
  await request(app.port, '/short')
  await request(app.port, '/spin/1')
  // Another thread writes it, when it is given a processor.
  const isWritten = () => report(app.out, { percentile: 0.001 }).routes.some((/** @type {any} */ { route }) => route === 'GET /spin/:id')
  const deadline = Date.now() + WRITTEN_WITHIN_MS
  while (!isWritten() && Date.now() < deadline) await sleep(20)
  process.kill(app.child.pid, 'SIGKILL')
  await app.ended
  const { stacks, routes } = report(app.out, { percentile: 0.001 })
  assert.ok(routes.some((/** @type {any} */ { route }) => route === 'GET /spin/:id'), JSON.stringify(routes))
  assert.ok(JSON.stringify(stacks.causes).includes('spinning'))
})

test('stacks are switched on and off in a running process', async (t) => {
  const app = await startApp(t, 'stalls.js')
  const stacks = (/** @type {string} */ to) => execFileSync(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), 'stacks', to, String(app.child.pid)], { encoding: 'utf8' })
  await request(app.port, '/spin/1')
  assert.equal(stacks('on'), `process ${app.child.pid}: sampling stacks\n`)
  await request(app.port, '/native')
  assert.equal(stacks('off'), `process ${app.child.pid}: not sampling stacks\n`)
  await request(app.port, '/later')
  await app.stop()
  const told = JSON.stringify(report(app.out, { percentile: 0.001 }).stacks.causes)
  assert.ok(told.includes('hashing') && !told.includes('spinning'), told)
})
