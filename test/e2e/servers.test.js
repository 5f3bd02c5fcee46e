'use strict'

// Every kind of server, from the first request to the report.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const net = require('node:net')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { probe } = require('../../lib')
const { send } = require('../../lib/control')
const { inParallel, report, reportedRequests, request, startApp, temporaryDirectory, traceFiles } = require('./recorded-app')

const COUNT = 300
// A patched Node has but one.
const LEVELS = probe().provider === 'patched' ? ['native'] : ['events', 'promises']
const SECRETS = ['query-s3cr3t', 'header-s3cr3t', 'body-s3cr3t', 'authorization', 'env-s3cr3t']
const headers = { authorization: 'Bearer header-s3cr3t', cookie: 'id=header-s3cr3t' }

const servers = [
  { name: 'http', file: 'http.js', routes: ['GET /user/:id', 'POST /timer/:id'], post: '/timer/7', agent: http },
  { name: 'Express 5', file: 'express.js' },
  { name: 'Express 4', file: 'express.js', env: { EXPRESS: 'express4' } },
  { name: 'Fastify', file: 'fastify.js' },
  { name: 'Koa and its router', file: 'koa.js' },
  { name: 'Koa, imported', file: 'koa-module.mjs' },
  { name: 'Koa that was loaded before', file: 'koa.js', env: { START_LATE: '1' }, register: null },
  { name: 'HTTPS', file: 'https.js', agent: https, routes: ['GET /user/:id', 'POST /api/item/:id'] }
]

for (const { name, file, env = {}, register, post = '/api/item/7', agent = http, routes = ['GET /user/:id', 'POST /api/item/:item'] } of servers) {
  for (const causality of LEVELS) {
    test(`${name} (${causality})`, async (t) => {
      const level = causality === 'native' ? {} : { EDGEWISE_CAUSALITY: causality }
      const app = await startApp(t, file, { env: { ...env, ...level, SECRET: 'env-s3cr3t' }, register })
      const keepAlive = new agent.Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false })
      t.after(() => keepAlive.destroy())
      const protocol = agent === https ? 'https:' : 'http:'
      await inParallel(COUNT, async (number) => {
        const options = number % 2
          ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
          : { headers }
        const url = number % 2 ? `${post}?token=query-s3cr3t` : `/user/${number}?token=query-s3cr3t#x`
        const { status } = agent === https
          ? await secureRequest(app.port, url, { ...options, agent: keepAlive, protocol })
          : await request(app.port, url, { ...options, agent: keepAlive })
        assert.equal(status, 200)
      })
      await app.stop()
      assert.equal(app.stderr, '')
      checkReport(app, COUNT, routes)
      checkPrivacy(app)
    })
  }
}

test('HTTP/2', async (t) => {
  const app = await startApp(t, 'http2.js')
  await sendStreams(app.port, COUNT)
  await app.stop()
  assert.equal(app.stderr, '')
  checkReport(app, COUNT, ['GET /user/:id', 'POST /api/item/:id'])
  checkPrivacy(app)
})

// Nobody sees when a connection of this kind came, and to ask for as many files
// takes the kernel longer than a short sleep.
test('a hundred new connections of a Unix domain socket, behind a long event', async (t) => {
  const socketPath = path.join(temporaryDirectory(t), 'socket')
  const app = await startApp(t, 'http.js', { env: { SOCKET: socketPath } })
  const ask = (url) => request(0, url, { socketPath, agent: false })
  const busy = ask('/busy/200')
  await sleep(20)
  await Promise.all([busy, ...Array.from({ length: 100 }, () => ask('/pid'))])
  await app.stop()
  const { requests, ready_kinds: kinds } = report(app.out)
  assert.equal(requests.count, 101)
  assert.ok(kinds['upper-bound'] >= 100, JSON.stringify(kinds))
})

for (const file of ['koa.js', 'koa-module.mjs']) {
  test(`Koa's routes when recording is switched on later: ${file}`, async (t) => {
    const app = await startApp(t, file, { env: { EDGEWISE_ENABLED: '0' } })
    await send(app.child.pid, 'on')
    await inParallel(20, () => request(app.port, '/api/item/7', { method: 'POST' }))
    await app.stop()
    assert.deepEqual(report(app.out).routes.map(({ route }) => route), ['POST /api/item/:item'])
  })
}

for (const file of ['http2.js', 'http2-module.mjs']) {
  test(`HTTP/2 that is switched on later, off and on again: ${file}`, async (t) => {
    const app = await startApp(t, file, { env: { EDGEWISE_ENABLED: '0' } })
    for (const command of ['on', 'off', 'on']) {
      await send(app.child.pid, command)
      await sendStreams(app.port, 20)
    }
    await app.stop()
    assert.equal(app.stderr, '')
    assert.deepEqual(report(app.out).routes.map(({ route, count }) => [route, count]).sort(), [['GET /user/:id', 20], ['POST /api/item/:id', 20]])
  })
}

test('a pipelined response ends when those before it have left, whenever its request came', async (t) => {
  const app = await startApp(t, 'http.js')
  const socket = net.connect(app.port, '127.0.0.1')
  socket.setEncoding('utf8')
  let text = ''
  const got = async (word) => { while (!text.includes(word)) await once(socket, 'data') }
  socket.on('data', (data) => { text += data })
  socket.write(getting('/user/1', '/later'))
  await got('user')
  // The first is gone, the second waits for its timer.
  socket.write(getting('/pid'))
  await got('later')
  await got(`${app.child.pid}`)
  socket.destroy()
  await app.stop()
  const rows = Object.fromEntries(reportedRequests(app.out).map((row) => [row.route, row]))
  assert.equal(Object.keys(rows).length, 3)
  assert.ok(rows['GET /pid'].start_ns < rows['GET /later'].end_ns)
  assert.ok(rows['GET /pid'].end_ns >= rows['GET /later'].end_ns)
})

test('a pipelined response ends when it is written, which is after all that came with it was handled', async (t) => {
  const app = await startApp(t, 'http.js')
  const socket = net.connect(app.port, '127.0.0.1')
  socket.write(getting('/user/1', '/pid', '/busy/50'))
  let text = ''
  for await (const data of socket) if ((text += data).includes('busy')) break
  await app.stop()
  const { latency_ns: latency } = reportedRequests(app.out).find(({ route }) => route === 'GET /pid')
  assert.ok(latency >= 50e6, `${latency} ns, behind 50 ms`)
})

test('edgewise.request()', async (t) => {
  const app = await startApp(t, 'custom.js')
  const socket = net.connect(app.port, '127.0.0.1')
  socket.setEncoding('utf8')
  let text = ''
  socket.on('data', (data) => { text += data })
  const lines = ['wait', 'now', 'fail', 'wait', 'now']
  for (const [i, line] of lines.entries()) {
    socket.write(`${line}\n`)
    while (text.split('\n').length <= i + 1) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  socket.destroy()
  await app.stop()
  assert.equal(text, 'ok\nok\nfailed\nok\nok\n')
  const whole = checkReport(app, lines.length, ['line fail', 'line now', 'line wait'])
  assert.equal(whole.requests.failed, 1)
})

/** Closed-loop HTTP/2 clients on one connection: GET and POST in turn. */
async function sendStreams (port, count) {
  const session = http2.connect(`http://127.0.0.1:${port}`)
  await inParallel(count, (number) => new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': number % 2 ? 'POST' : 'GET',
      ':path': number % 2 ? '/api/item/7?token=query-s3cr3t' : `/user/${number}?token=query-s3cr3t`,
      ...headers
    })
    stream.on('error', reject)
    stream.on('close', resolve)
    stream.resume()
    stream.end()
  }))
  session.destroy()
}

function getting (...urls) {
  return urls.map((url) => `GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join('')
}

function secureRequest (port, url, options) {
  return new Promise((resolve, reject) => {
    const sent = https.request({ host: '127.0.0.1', port, path: url, ...options }, (response) => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode }))
    })
    sent.on('error', reject)
    sent.end(options.method === 'POST' ? '{"secret":"body-s3cr3t"}' : undefined)
  })
}

function checkReport (app, count, routes) {
  const whole = report(app.out)
  assert.deepEqual(whole.problems, [])
  assert.equal(whole.requests.count, count)
  assert.deepEqual([whole.requests.lost, whole.requests.aborted, whole.events.dropped, whole.events.lost_bytes], [0, 0, 0, 0])
  assert.deepEqual(whole.routes.map(({ route }) => route).sort(), routes)
  const rows = reportedRequests(app.out)
  assert.equal(rows.length, count)
  for (const row of rows) assert.equal(row.io_ns + row.queue_ns + row.exec_ns, row.latency_ns)
  const { tail, rest, latency_ns: latency } = whole
  const mean = (tail.mean_latency_ns * tail.count + rest.mean_latency_ns * rest.count) / count
  assert.ok(Math.abs(mean - latency.mean) <= 0.01 * latency.mean, `means: ${mean} of the parts, ${latency.mean} of the whole`)
  for (const part of [tail, rest]) {
    const sum = part.io_ns + part.queue_ns + part.exec_ns
    assert.ok(Math.abs(sum - part.mean_latency_ns) <= 0.01 * part.mean_latency_ns, `components ${sum}, latency ${part.mean_latency_ns}`)
  }
  return whole
}

function checkPrivacy (app) {
  assert.equal(fs.statSync(app.out).mode & 0o777, 0o700)
  for (const file of traceFiles(app.out)) {
    assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    const bytes = fs.readFileSync(file, 'latin1').toLowerCase()
    for (const secret of SECRETS) assert.ok(!bytes.includes(secret), `${secret} is in the trace`)
  }
}
