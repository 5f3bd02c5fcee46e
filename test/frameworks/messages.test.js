'use strict'

// Messages and jobs are requests, each by its name.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const test = require('node:test')
const { report, request, temporaryDirectory } = require('../e2e/recorded-app')
const { STARTERS, missing } = require('../protocols/databases')
const { SECRETS } = require('../protocols/secrets')
const { NAMES, checkRoutes, countsOf, used } = require('./asked')
const { startBroker } = require('./kafka-broker')

test('ws', async (t) => {
  const app = await used(t, 'ws.js', async ({ port }, packages) => {
    const { WebSocket } = packages('ws')
    const answers = await Promise.all(NAMES.map(async (name) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/live/7?secret=1`)
      await once(socket, 'open')
      const got = []
      for (let turn = 0; turn < 3; turn++) {
        socket.send(`${name} ${turn}`)
        got.push(String((await once(socket, 'message'))[0]))
      }
      socket.close()
      await once(socket, 'close')
      return got
    }))
    return answers
  })
  if (app) assert.deepEqual(countsOf(app.out), [['WS /live/:id message', 12]])
})

for (const transport of ['websocket', 'polling']) {
  test(`Socket.IO by ${transport}`, async (t) => {
    const app = await used(t, 'socket-io.js', async ({ port }, packages) => {
      const { io } = packages('socket.io-client')
      const answers = await Promise.all(NAMES.map(async (name) => {
        const socket = io(`http://127.0.0.1:${port}/`, { transports: [transport], forceNew: true })
        const chat = io(`http://127.0.0.1:${port}/chat`, { transports: [transport], forceNew: true })
        const got = [await socket.emitWithAck('join', name), await chat.emitWithAck('say', name)]
        socket.emit('hello')
        socket.emit('nobody listens')
        got.push(await socket.emitWithAck('join', 'again'))
        socket.close()
        chat.close()
        return got
      }))
      return answers
    })
    if (!app) return
    const counts = Object.fromEntries(countsOf(app.out))
    const events = Object.fromEntries(Object.entries(counts).filter(([route]) => route.startsWith('WS ')))
    assert.deepEqual(events, { 'WS / hello': 4, 'WS / join': 8, 'WS /chat say': 4 })
    const polled = report(app.out).requests.streams
    assert.equal(polled > 0, transport === 'polling', `${polled} long polls`)
    assert.ok(!Object.keys(counts).some((route) => route.includes('long poll')))
  })
}

test('BullMQ', { skip: missing('redis') }, async (t) => {
  const { service } = await STARTERS.redis(temporaryDirectory(t))
  t.after(() => service.stop())
  await checkRoutes(t, {
    file: 'bullmq.js',
    env: { REDIS_PORT: String(service.port), REDIS_PASSWORD: SECRETS.password },
    routes: { 'GET /add': ['/add?name=NAME'] },
    besides: [['JOB mails welcome', NAMES.length]]
  })
})

// A message, or a batch of two, whose handler fails comes again from the first that was not done.
const CONSUMED = {
  eachMessage: [['KAFKA mails', 4 + 1], ['KAFKA orders', 8 + 1]],
  eachBatch: [['KAFKA mails batch', 2 + 1], ['KAFKA orders batch', 4 + 1]]
}
for (const [kind, counts] of Object.entries(CONSUMED)) {
  test(`KafkaJS with ${kind}`, async (t) => {
    /** @type {any} */
    let broker
    const topics = { orders: [...NAMES, ...NAMES.map((name) => `${name} again`)], mails: NAMES }
    const app = await used(t, 'kafka.js', async ({ port, child }) => {
      const committed = () => broker.committed[child.pid] ?? {}
      const until = Date.now() + 20_000
      while (Date.now() < until && !(committed().orders === '8' && committed().mails === '4')) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepEqual({ ...committed() }, { mails: '4', orders: '8' }, 'how far consumers have said that they are')
      return JSON.parse((await request(port, '/handled')).body)
    }, async (packages) => {
      broker = await startBroker(t, packages, topics)
      // KafkaJS sets timers to negative times, of which Node 24 warns, recorded or not.
      return { KIND: kind, KAFKA_PORT: String(broker.port), NODE_OPTIONS: '--disable-warning=TimeoutNegativeWarning' }
    })
    if (app) assert.deepEqual(countsOf(app.out), [['GET /handled', 1], ...counts])
  })
}
