'use strict'

// A request is finished if its client can have all of the answer, and aborted if
// not, whatever the server and the client have done to the connection, and in
// whatever order. It ends when the last byte has left.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const net = require('node:net')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const tls = require('node:tls')
const { report, reportedRequests, startApp } = require('./recorded-app')

const TIMES = 3
const WHOLE = ['', '-empty', '-unchanged', '-head', '-later', '-parts', '-big', '-timeout', '-domain'].map((kind) => `whole${kind}`)
const WHOLE_1 = [...WHOLE, 'whole-twice', 'whole-refused', 'whole-destroyed-after']
const LOST_1 = ['response', 'socket', 'tick', 'immediate', 'part', 'timeout', 'socket-timeout'].map((kind) => `lost-${kind}`)
const WHOLE_2 = [...WHOLE, 'whole-goaway', 'whole-session-closed', 'whole-trailers', 'whole-consumed']
const LOST_2 = ['lost-stream-reset', 'lost-session']

/** What is told of each route: [finished, aborted in all]. */
function told (app) {
  /** @type {Record<string, number>} */
  const finished = {}
  for (const { route } of reportedRequests(app.out)) {
    const kind = route.replace(/^\w+ \//, '')
    finished[kind] = (finished[kind] ?? 0) + 1
  }
  const { requests, problems } = report(app.out)
  assert.deepEqual([problems, requests.lost, requests.unfinished], [[], 0, 0])
  return { finished, aborted: requests.aborted }
}

/** @param {any} app @param {Record<string, number>} whole how many answers of each kind the client has, of TIMES */
async function check (app, whole) {
  await sleep(50) // What the last client has left behind.
  await app.stop()
  assert.equal(app.stderr, '')
  const { finished, aborted } = told(app)
  const some = Object.fromEntries(Object.entries(whole).filter(([, count]) => count > 0))
  assert.deepEqual(finished, some)
  assert.equal(aborted, Object.values(whole).reduce((sum, count) => sum + TIMES - count, 0))
}

/** @returns {Promise<boolean>} whether the whole answer came */
function ask (agent, port, kind) {
  return new Promise((resolve) => {
    const method = kind === 'whole-refused' ? 'POST' : kind === 'whole-head' ? 'HEAD' : 'GET'
    const request = agent.request({ host: '127.0.0.1', port, path: `/${kind}`, method, agent: false, rejectUnauthorized: false }, (response) => {
      response.on('error', () => {}).on('close', () => resolve(response.complete)).resume()
    })
    request.on('error', () => resolve(false))
    if (kind !== 'whole-refused') return request.end()
    request.setHeader('content-length', 1_000_000)
    request.write('the beginning')
  })
}

for (const [transport, agent] of /** @type {[string, any][]} */ ([['http', http], ['https', https]])) {
  test(`what clients get: ${transport}`, async (t) => {
    const app = await startApp(t, 'outcomes.js', { env: { TRANSPORT: transport } })
    /** @type {Record<string, number>} */
    const whole = {}
    for (const kind of [...WHOLE_1, ...LOST_1]) {
      whole[kind] = 0
      for (let i = 0; i < TIMES; i++) whole[kind] += Number(await ask(agent, app.port, kind))
      assert.equal(whole[kind], kind.startsWith('whole') ? TIMES : 0, `the program itself: ${kind}`)
    }
    await check(app, whole)
  })
}

for (const [transport, scheme] of [['h2c', 'http'], ['h2', 'https']]) {
  test(`what clients get: ${transport}`, async (t) => {
    const app = await startApp(t, 'outcomes.js', { env: { TRANSPORT: transport } })
    /** @type {Record<string, number>} */
    const whole = {}
    for (const kind of [...WHOLE_2, ...LOST_2, 'lost-client-resets']) {
      whole[kind] = 0
      for (let i = 0; i < TIMES; i++) whole[kind] += Number(await askStream(`${scheme}://127.0.0.1:${app.port}`, kind))
      assert.equal(whole[kind], kind.startsWith('whole') ? TIMES : 0, `the program itself: ${kind}`)
    }
    await check(app, whole)
  })
}

/** @returns {Promise<boolean>} */
async function askStream (url, kind) {
  const session = http2.connect(url, { rejectUnauthorized: false })
  session.on('error', () => {})
  let ended = false
  const stream = session.request({ ':path': `/${kind}`, ':method': kind === 'whole-head' ? 'HEAD' : 'GET' })
  stream.on('error', () => {}).on('end', () => { ended = true }).resume()
  if (kind === 'lost-client-resets') stream.once('data', () => stream.close(http2.constants.NGHTTP2_CANCEL))
  await new Promise((resolve) => stream.once('close', resolve))
  session.destroy()
  return ended && stream.rstCode === http2.constants.NGHTTP2_NO_ERROR
}

/** Sends a text, and gives what comes until the connection closes. */
async function exchange (socket, text, then = () => {}) {
  let got = ''
  socket.setEncoding('latin1').on('data', (data) => { got += data }).on('error', () => {}).on('end', () => socket.end())
  socket.write(text)
  then()
  await new Promise((resolve) => socket.once('close', resolve))
  return got
}

const getting = (kind, more = '') => `GET /${kind} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`

/** @type {Record<string, (socket: net.Socket) => void>} what a client does when it has asked */
const doing = {
  'lost-client-resets': (socket) => { socket.once('data', () => socket.resetAndDestroy()) },
  'lost-client-leaves': (socket) => { setTimeout(() => socket.resetAndDestroy(), 5) },
  'lost-big': (socket) => { socket.pause(); setTimeout(() => socket.resume(), 40) },
  others: (socket) => { socket.end() }
}

test('clients that reset, leave, read late, or close their half', async (t) => {
  for (const [transport, kinds] of /** @type {[string, Record<string, number>][]} */ ([
    ['http', { 'lost-client-resets': 0, 'lost-client-leaves': 0, 'lost-half-closed': 0, 'lost-big': 0 }],
    ['half-open', { 'whole-later': TIMES }]
  ])) {
    const app = await startApp(t, 'outcomes.js', { env: { TRANSPORT: transport } })
    for (const [kind, count] of Object.entries(kinds)) {
      for (let i = 0; i < TIMES; i++) {
        const socket = net.connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true })
        const got = await exchange(socket, getting(kind), () => (doing[kind] ?? doing.others)(socket))
        assert.equal(got.endsWith('x'), count > 0)
      }
    }
    await check(app, kinds)
  }
})

test('a TLS connection that breaks off', async (t) => {
  const app = await startApp(t, 'outcomes.js', { env: { TRANSPORT: 'https' } })
  for (let i = 0; i < TIMES; i++) {
    const socket = tls.connect({ port: app.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    await once(socket, 'secureConnect')
    await exchange(socket, getting('lost-client-leaves'), () => setTimeout(() => socket.destroy(), 5))
  }
  await check(app, { 'lost-client-leaves': 0 })
})

test('pipelined requests of which the first destroys their connection', async (t) => {
  const app = await startApp(t, 'outcomes.js')
  for (let i = 0; i < TIMES; i++) {
    const got = await exchange(net.connect(app.port, '127.0.0.1'), getting('lost-part') + getting('whole') + getting('whole-empty'))
    assert.match(got, /abc$/)
  }
  await check(app, { 'lost-part': 0, whole: 0, 'whole-empty': 0 })
})

test('100-continue, upgrades and CONNECT', async (t) => {
  const app = await startApp(t, 'outcomes.js')
  for (let i = 0; i < TIMES; i++) {
    const got = await exchange(net.connect(app.port, '127.0.0.1'), getting('whole', 'expect: 100-continue\r\nconnection: close\r\n'))
    assert.match(got, /^HTTP\/1.1 100 Continue.*x$/s)
    assert.match(await exchange(net.connect(app.port, '127.0.0.1'), getting('upgraded', 'connection: upgrade\r\nupgrade: x\r\n')), /^HTTP\/1.1 101 .*x$/s)
    assert.match(await exchange(net.connect(app.port, '127.0.0.1'), 'CONNECT localhost:1 HTTP/1.1\r\n\r\n'), /^HTTP\/1.1 200 .*x$/s)
  }
  await check(app, { whole: TIMES })
})

test('over TLS the end is when the answer left, not when all that came with it was handled', async (t) => {
  const app = await startApp(t, 'outcomes.js', { env: { TRANSPORT: 'https' } })
  const agents = Array.from({ length: 5 }, () => new https.Agent({ keepAlive: true, maxSockets: 1 }))
  t.after(() => agents.forEach((agent) => agent.destroy()))
  const get = (agent, path) => new Promise((resolve, reject) => {
    https.get({ host: '127.0.0.1', port: app.port, path, agent, rejectUnauthorized: false }, (response) => response.resume().on('end', resolve)).on('error', reject)
  })
  for (const agent of agents) for (let i = 0; i < 3; i++) await get(agent, '/whole')
  await Promise.all(agents.map((agent) => get(agent, '/busy')))
  await app.stop()
  const ends = reportedRequests(app.out).filter(({ route }) => route === 'GET /busy').map((row) => row.end_ns)
  assert.equal(ends.length, 5)
  for (let i = 1; i < ends.length; i++) assert.ok(ends[i] - ends[i - 1] >= 49e6, `${ends[i] - ends[i - 1]} ns apart`)
})
