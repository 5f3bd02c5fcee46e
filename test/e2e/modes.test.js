'use strict'

// Flight mode, quota, and recording switched off and on while the server works.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { send } = require('../../lib/control')
const { inParallel, report, reportedRequests, request, startApp, traceFiles } = require('./recorded-app')

function keepAliveAgent (t, maxSockets = 8) {
  const agent = new http.Agent({ keepAlive: true, maxSockets })
  t.after(() => agent.destroy())
  return agent
}

test('flight mode writes on demand, and at the exit', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: 'flight' } })
  const agent = keepAliveAgent(t)
  await inParallel(100, (number) => request(app.port, `/user/${number}`, { agent }))
  await sleep(300)
  assert.equal(report(app.out).requests.count, 0, 'nothing is written before the dump')
  await send(app.child.pid, 'dump')
  assert.equal(report(app.out).requests.count, 100)
  await inParallel(50, (number) => request(app.port, `/user/${number}`, { agent }))
  await app.stop()
  assert.equal(report(app.out).requests.count, 150)
  assert.equal(app.stderr, '')
})

test('flight mode writes when a request breaks the objective', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: 'flight', EDGEWISE_SLO_MS: '40' } })
  const agent = keepAliveAgent(t)
  await inParallel(100, (number) => request(app.port, `/user/${number}`, { agent }))
  const before = fs.statSync(traceFiles(app.out)[0]).size
  await request(app.port, '/busy/50', { agent })
  await sleep(500)
  assert.ok(fs.statSync(traceFiles(app.out)[0]).size > before, 'the breach wrote')
  const rows = reportedRequests(app.out)
  assert.ok(rows.some(({ route, latency_ns: ns }) => route === 'GET /busy/:id' && ns > 40e6), 'the slow request is in it')
  assert.equal(rows.length, 101, 'and what led to it')
})

test('flight mode forgets the oldest', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: 'flight', EDGEWISE_MAX_MB: '0.05' } })
  const agent = keepAliveAgent(t, 1)
  // Chunks are forgotten whole: several flush periods.
  for (let part = 0; part < 8; part++) {
    await inParallel(150, (number) => request(app.port, `/part${part}`, { agent }), 1)
    await sleep(150)
  }
  await app.stop()
  const routes = new Set(reportedRequests(app.out).map(({ route }) => route))
  assert.ok(routes.has('GET /part7') && !routes.has('GET /part0'), `kept: ${[...routes]}`)
  assert.ok(fs.statSync(traceFiles(app.out)[0]).size < 120_000)
})

test('a quota ends the trace; what is lost is counted and told', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MAX_MB: '0.03' } })
  const agent = keepAliveAgent(t)
  for (let part = 0; part < 5; part++) {
    await inParallel(200, (number) => request(app.port, `/user/${number}`, { agent }))
    await sleep(120)
  }
  const { code } = await app.stop()
  assert.equal(code, 0)
  assert.ok(fs.statSync(traceFiles(app.out)[0]).size <= 0.03 * 2 ** 20 + 4096)
  assert.match(app.stderr, /quota of 31458 bytes is used up/)
  assert.match(app.stderr, /lost \d+ records \(ring full: EDGEWISE_RING_RECORDS\) and \d+ bytes/)
  assert.equal(app.stderr.trim().split('\n').length, 2, app.stderr)
  const { events, requests } = report(app.out)
  assert.ok(events.lost_bytes > 0)
  assert.ok(requests.count > 0 && requests.count < 1000)
})

test('off and on through the control socket', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_ENABLED: '0' } })
  const agent = keepAliveAgent(t)
  const load = (count) => inParallel(count, (number) => request(app.port, `/user/${number}`, { agent }))
  const { pid } = app.child
  await load(50)
  assert.equal((await send(pid, 'status')).recording, false)
  assert.equal(fs.existsSync(app.out) && traceFiles(app.out).length > 0, false, 'off writes nothing')
  assert.equal((await send(pid, 'on')).recording, true)
  await load(60)
  assert.equal((await send(pid, 'off')).recording, false)
  await load(70)
  assert.equal(report(app.out).requests.count, 60)
  await send(pid, 'on')
  await load(30)
  await app.stop()
  const { requests, events } = report(app.out)
  assert.deepEqual([requests.count, requests.lost, events.dropped], [90, 0, 0])
  assert.equal(app.stderr, '')
})

test('what began before recording was switched off and on is not of the new recording', async (t) => {
  const app = await startApp(t, 'http.js')
  const { pid } = app.child
  const answered = [0, 0, 0]
  const [early, late, never] = answered.map((_, i) => {
    const socket = net.connect(app.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('data', () => answered[i]++)
    socket.write('GET /later HTTP/1.1\r\nhost: localhost\r\n\r\n')
    return socket
  })
  await sleep(50)
  await send(pid, 'off')
  // The first is answered while nothing is recorded, the last two are open yet.
  await sleep(120)
  for (const socket of [late, never]) socket.write('GET /later HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await sleep(20)
  await send(pid, 'on')
  never.destroy()
  await sleep(150)
  assert.deepEqual(answered, [1, 2, 1])
  early.destroy()
  late.destroy()
  await request(app.port, '/user/1')
  await app.stop()
  const [first, second] = traceFiles(app.out).sort((one, other) => one.length - other.length)
  fs.rmSync(first)
  assert.ok(second.endsWith('-0.1.ewt'))
  const { requests } = report(app.out)
  assert.deepEqual([requests.count, requests.lost, requests.aborted, requests.unfinished], [1, 0, 0, 0])
})

test('start and stop many times under load leave nothing behind', async (t) => {
  const app = await startApp(t, 'toggling.js')
  const agent = keepAliveAgent(t)
  let done = false
  let answered = 0
  const load = inParallel(Infinity, async () => {
    if (done) throw new Error('done')
    assert.equal((await request(app.port, '/user', { agent })).status, 200)
    answered++
  }).catch((error) => assert.equal(error.message, 'done'))
  const told = JSON.parse((await request(app.port, '/toggle')).body)
  const again = JSON.parse((await request(app.port, '/toggle')).body)
  const thrice = JSON.parse((await request(app.port, '/toggle')).body)
  done = true
  await load
  const { code, signal } = await app.stop()
  assert.deepEqual([code, signal, app.stderr], [0, null, ''])
  assert.ok(answered > 100)
  assert.equal(told.on, true)
  assert.deepEqual(told.offAgain, told.off, 'listeners and wrapped functions')
  assert.deepEqual(thrice.offAgain, told.off)
  assert.equal(told.off.own, false, 'ServerResponse.prototype is as it was')
  assert.ok(thrice.rss < again.rss + 24 * 2 ** 20, `memory: ${again.rss} bytes, then ${thrice.rss}`)
  const { problems, events } = report(app.out)
  assert.deepEqual([problems, events.dropped], [[], 0])
})

test('off, nothing of edgewise is on the way of a request: neither before it was on, nor after', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_ENABLED: '0' } })
  const seen = async () => JSON.parse((await request(app.port, '/instrumented')).body)
  const loaded = () => fs.readFileSync(`/proc/${app.child.pid}/maps`, 'utf8').includes('edgewise.node')
  assert.deepEqual(await seen(), { subscribed: false, wrapped: false })
  assert.equal(loaded(), false, 'the addon is not even loaded')
  await send(app.child.pid, 'on')
  assert.deepEqual(await seen(), { subscribed: true, wrapped: true })
  await send(app.child.pid, 'off')
  assert.deepEqual(await seen(), { subscribed: false, wrapped: false })
})
