'use strict'

// What is told of HTTP requests, by a recorder that is pretended.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const http2 = require('node:http2')
const net = require('node:net')
const test = require('node:test')
const { Following } = require('../../lib/instrument/promises/following')
const { instrumentHttp } = require('../../lib/instrument/servers/http')
const { instrumentHttp2 } = require('../../lib/instrument/servers/http2')
const { OUTCOME } = require('../../lib/instrument/servers/requests')
const { RouteTable } = require('../../lib/instrument/servers/routes')

/** Begins to record. `ends`: [route, outcome] of each request. */
function record (instrument = instrumentHttp) {
  let requests = 0
  /** @type {any[]} */
  const texts = []
  /** @type {any[]} */
  const ends = []
  const awaited = new Map()
  const calls = {
    requestStart: () => ++requests,
    requestEnd: (id, route, status, outcome) => ends.push([texts[route - 1], outcome]),
    requestEndWritten: (id, route) => ends.push([texts[route - 1], OUTCOME.finished]),
    requestEndAwaited: (id, route) => awaited.set(id, ends.push([texts[route - 1], OUTCOME.finished]) - 1),
    requestEndLost: (id) => { ends[awaited.get(id)][1] = OUTCOME.aborted },
    slice () {},
    sliceOfId () {}
  }
  const words = new Uint32Array(8).fill(1) // Everything by a call.
  const routes = new RouteTable((text) => texts.push(text))
  const following = new Following(words, null)
  const stop = instrument({ calls, routes, words, following, executing: new Float64Array(1), idsKnown: true })
  return { ends, stop }
}

/** @param {any} t @param {http.RequestListener} [handler] */
async function serve (t, handler = (request, response) => response.end('ok\n')) {
  const server = http.createServer(handler).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = /** @type {any} */ (server.address())
  return async (path) => {
    const [response] = await once(http.get({ host: '127.0.0.1', port, path, agent: false }), 'response')
    await response.resume().toArray()
  }
}

test('a recording that is over tells nothing, though somebody has wrapped end() around it', async (t) => {
  const { prototype } = http.ServerResponse
  const own = Object.getOwnPropertyDescriptor(prototype, 'end')
  t.after(() => own ? Object.defineProperty(prototype, 'end', own) : Reflect.deleteProperty(prototype, 'end'))
  const get = await serve(t)
  const first = record()
  await get('/first')
  const { end } = prototype
  prototype.end = /** @type {any} */ function () { return Reflect.apply(end, this, arguments) }
  first.stop()
  const second = record()
  await get('/second')
  second.stop()
  assert.deepEqual(first.ends, [['GET /first', OUTCOME.finished]])
  assert.deepEqual(second.ends, [['GET /second', OUTCOME.finished]])
})

test('a response that the kernel refuses is aborted, not finished', async (t) => {
  const server = http.createServer((request, response) => {
    client.resetAndDestroy()
    response.end('to nobody\n')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = /** @type {any} */ (server.address())
  const { ends, stop } = record()
  t.after(stop)
  const client = net.connect(port, '127.0.0.1', () => client.write('GET /gone HTTP/1.1\r\nhost: localhost\r\n\r\n'))
  const [socket] = await once(server, 'connection')
  await new Promise((resolve) => socket.once('close', resolve))
  assert.deepEqual(ends, [['GET /gone', OUTCOME.aborted]])
})

test('a response whose connection was destroyed before it was written is aborted, in whatever order', async (t) => {
  /** @type {Record<string, http.RequestListener>} */
  const handlers = {
    '/before' (request, response) { request.socket.destroy(); response.end('x') },
    '/response' (request, response) { response.destroy(); response.end('x') },
    '/tick' (request, response) { request.destroy(); process.nextTick(() => response.end('x')) },
    '/immediate' (request, response) { request.destroy(); setImmediate(() => response.end('x')) },
    '/large' (request, response) { response.end(Buffer.alloc(50_000_000)); setImmediate(() => request.socket.destroy()) },
    '/corked' (request, response) { request.socket.cork(); response.write('x'); request.socket.destroy(); response.end() },
    '/after' (request, response) { response.end('x'); request.socket.destroy() }
  }
  const get = await serve(t, (request, response) => handlers[request.url ?? ''](request, response))
  const { ends, stop } = record()
  t.after(stop)
  const kinds = Object.keys(handlers)
  for (const kind of kinds) await get(kind).catch(() => {})
  while (ends.length < kinds.length) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(ends, kinds.map((kind) => [`GET ${kind}`, kind === '/after' ? OUTCOME.finished : OUTCOME.aborted]))
})

test('a response that was all written before its end() is finished, one that waits for its turn is not', async (t) => {
  const server = http.createServer((request, response) => {
    if (request.url === '/all') {
      response.writeHead(200, { 'content-length': 1 })
      response.write('x')
      return setTimeout(() => response.end(), 5)
    }
    if (request.url === '/waits') return response.end('x')
    setTimeout(() => request.socket.destroy(), 10)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { ends, stop } = record()
  t.after(stop)
  const client = net.connect(/** @type {any} */ (server.address()).port, '127.0.0.1')
  client.resume().write(['/all', '/first', '/waits'].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''))
  await once(client, 'close')
  while (ends.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(ends, [['GET /all', OUTCOME.finished], ['GET /first', OUTCOME.aborted], ['GET /waits', OUTCOME.aborted]])
})

/** Node 26 ends by itself, recorded or not, where a response has lost it. */
const NODE_NEEDS_ITS_REQUEST = parseInt(process.versions.node) >= 26

test("what the application takes off Node's objects hurts nobody", async (t) => {
  const get = await serve(t, (request, response) => {
    response.end(Buffer.alloc(10_000_000)) // More than the socket takes at once.
    request.url = /** @type {any} */ (undefined)
    if (!NODE_NEEDS_ITS_REQUEST) response.req = /** @type {any} */ (null)
  })
  const { ends, stop } = record()
  t.after(stop)
  await get('/gone')
  await get('/again')
  while (ends.length < 2) await new Promise((resolve) => setTimeout(resolve, 5)) // Until their connections are closed.
})

test('requests whose bodies are left early, from which Node then takes the socket, are finished', async (t) => {
  const server = http.createServer(async (request, response) => {
    for await (const part of request) if (part.length > 0) break
    assert.equal(request.socket, null)
    setTimeout(() => response.end('x'), 20)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { ends, stop } = record()
  t.after(stop)
  const { port } = /** @type {any} */ (server.address())
  await Promise.all(['/first', '/second', '/third'].map(async (path) => {
    const [response] = await once(http.request({ host: '127.0.0.1', port, path, method: 'POST', agent: false }).end('body'), 'response')
    await response.resume().toArray()
  }))
  assert.deepEqual(ends.sort(), ['/first', '/second', '/third'].map((path) => [`POST ${path}`, OUTCOME.finished]))
})

test('end() that is called again and again before it reaches the kernel', async (t) => {
  let listeners = 0
  const get = await serve(t, (request, response) => {
    response.end(Buffer.alloc(10_000_000))
    const before = response.listenerCount('finish')
    for (let i = 0; i < 20; i++) response.end()
    listeners = response.listenerCount('finish') - before
  })
  const { ends, stop } = record()
  t.after(stop)
  await get('/big')
  await get('/again')
  assert.equal(listeners, 0)
  while (ends.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(ends.sort(), [['GET /again', OUTCOME.finished], ['GET /big', OUTCOME.finished]])
})

test('whoever wraps the end() that responses inherit, later, is called', async (t) => {
  const { prototype } = http.OutgoingMessage
  const { end } = prototype
  t.after(() => { prototype.end = end })
  const get = await serve(t)
  const { ends, stop } = record()
  t.after(stop)
  let calls = 0
  prototype.end = /** @type {any} */ function () {
    if (this instanceof http.ServerResponse) calls++
    return Reflect.apply(end, this, arguments)
  }
  await get('/wrapped')
  assert.equal(calls, 1)
  assert.deepEqual(ends, [['GET /wrapped', OUTCOME.finished]])
})

test('an HTTP/2 stream that either side resets is aborted, though it finishes', async (t) => {
  const server = http2.createServer().listen(0, '127.0.0.1')
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    if (headers[':path'] === '/refused') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
    if (headers[':path'] === '/answered') stream.end('ok')
    if (headers[':path'] === '/cancelled') stream.respond()
  })
  t.after(() => server.close())
  await once(server, 'listening')
  const { ends, stop } = record(instrumentHttp2)
  t.after(stop)
  const client = http2.connect(`http://127.0.0.1:${/** @type {any} */ (server.address()).port}`)
  t.after(() => client.destroy())
  for (const path of ['/refused', '/cancelled', '/answered']) {
    const stream = client.request({ ':path': path }).resume()
    stream.on('error', () => {})
    stream.once('response', () => path === '/cancelled' && stream.close(http2.constants.NGHTTP2_CANCEL))
    await new Promise((resolve) => stream.once('close', resolve))
  }
  assert.deepEqual(ends, [['GET /refused', OUTCOME.aborted], ['GET /cancelled', OUTCOME.aborted], ['GET /answered', OUTCOME.finished]])
})

test('an HTTP/2 server that listens nowhere itself is met too, and its own listeners come later', async (t) => {
  const { ends, stop } = record(instrumentHttp2)
  t.after(stop)
  /** @type {number[]} */
  const before = []
  const server = http2.createServer()
  server.addListener('stream', (/** @type {any} */ stream) => {
    before.push(ends.length)
    stream.end('ok')
    stream.once('finish', () => before.push(ends.length))
  })
  const front = net.createServer((socket) => { server.emit('connection', socket) }).listen(0, '127.0.0.1')
  t.after(() => front.close())
  await once(front, 'listening')
  const client = http2.connect(`http://127.0.0.1:${/** @type {any} */ (front.address()).port}`)
  t.after(() => client.destroy())
  const stream = client.request({ ':path': '/passed-on' }).resume()
  await once(stream, 'close')
  assert.deepEqual(ends, [['GET /passed-on', OUTCOME.finished]])
  assert.deepEqual(before, [0, 1])
})
