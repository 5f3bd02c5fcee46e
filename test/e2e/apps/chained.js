'use strict'

// One service of several: works for WORK_MS, asks the services at NEXT_PORTS
// one after the other, or with TOGETHER all at once, works for WORK_MS again,
// and answers. TLS=1: is a server of https; NEXT_TLS=1: so are the others.
// HTTP2=1: speaks HTTP/2; NEXT_HTTP2=1: so do the others, NEXT_GRPC=1: as gRPC's
// do, on one session for each; FRESH=1: on a new one for each call, by a name;
// ABANDON=1: each call after one that is given up at once. CLOSE=1: keeps no
// connection. EXPECT=1: sends a body when it is told to go on; TRICKLE=1: in its
// own time. HOST: listens at it; NEXT_HOST: asks there. SOCKET: listens there,
// too; NEXT_SOCKET: asks there. WORKERS=2: is a cluster of so many. NAMES=1:
// gives each call a header `traceparent`; PASS_ID=1: the `x-request-id` that it
// was told itself. UNDICI=client: asks by npm's undici, all on one connection of
// each service, of which PIPELINING questions wait for answers; pool: on two.

const cluster = require('node:cluster')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const path = require('node:path')
const { serving } = require('./serving')

const { env } = process
const WORK_MS = Number(env.WORK_MS ?? 1)
const WAIT_MS = Number(env.WAIT_MS ?? 0)
const NEXT_HOST = env.NEXT_HOST ?? '127.0.0.1'
const PORTS = (env.NEXT_PORTS ?? '').split(',').filter(Boolean).map(Number)
const client = env.NEXT_TLS ? https : http
const agent = new client.Agent({ keepAlive: !env.CLOSE, maxSockets: Number(env.SOCKETS ?? 8), rejectUnauthorized: false })
let answered = 0
const body = 'x'.repeat(Number(env.BODY ?? 0))

function work () {
  const until = performance.now() + WORK_MS
  while (performance.now() < until);
}

/** @param {string} [told] its own `x-request-id` @returns {Record<string, string>} */
function names (told) {
  const [trace, span] = [16, 8].map((bytes) => randomBytes(bytes).toString('hex'))
  return { ...env.NAMES && { traceparent: `00-${trace}-${span}-01` }, ...env.PASS_ID && told && { 'X-Request-Id': told } }
}

/** @type {Map<number, http2.ClientHttp2Session>} by port */
const sessions = new Map()

/** @param {number} port @param {string} url @param {string} [told] @returns {Promise<void>} */
function askStream (port, url, told) {
  const origin = `${env.NEXT_TLS ? 'https' : 'http'}://${env.FRESH ? 'localhost' : NEXT_HOST}:${port}`
  const session = sessions.get(port) ?? http2.connect(origin, { rejectUnauthorized: false })
  if (!env.FRESH) sessions.set(port, session)
  return new Promise((resolve, reject) => {
    if (env.ABANDON) session.request({ ':path': '/abandoned' }).on('error', () => {}).destroy()
    const stream = session.request({ ':path': url, ':method': body ? 'POST' : 'GET', ...env.PASS_ID && told && { 'x-request-id': told }, ...env.NEXT_GRPC && { 'content-type': 'application/grpc' } })
    stream.resume().on('end', () => {
      if (env.FRESH) session.close()
      resolve(undefined)
    }).on('error', reject).end(body || undefined)
  })
}

/** @param {number} port @param {string} url @param {string} [told] */
async function ask (port, url, told) {
  if (env.HEDGE_MS) return hedge(port, url)
  while (await askOnce(port, url, { told }) === 503 && env.RETRY);
}

/** @param {number} port @param {string} url */
async function hedge (port, url) {
  const abort = new AbortController()
  const one = () => askOnce(port, url, { signal: abort.signal })
  const first = one()
  first.catch(() => {})
  const late = Symbol('late')
  const found = await Promise.race([first, new Promise((resolve) => setTimeout(resolve, Number(env.HEDGE_MS), late))])
  if (found !== late) return
  const second = one()
  second.catch(() => {})
  await Promise.race([first, second])
  abort.abort()
}

/** @param {number} port @param {string} url @param {{ told?: string, signal?: AbortSignal }} options @returns {Promise<any>} the status, where it is known */
async function askOnce (port, url, { told, signal }) {
  if (env.NEXT_HTTP2) return askStream(port, url, told)
  if (env.UNDICI) return askUndici(port, url, told)
  if (env.FETCH) return (await fetch(`${env.NEXT_TLS ? 'https' : 'http'}://${NEXT_HOST}:${port}${url}`, { headers: names(told) })).text()
  return new Promise((resolve, reject) => {
    const sent = client.request({ host: NEXT_HOST, port, socketPath: env.NEXT_SOCKET, path: url, agent, method: body ? 'POST' : 'GET', headers: { ...names(told), ...env.EXPECT && { expect: '100-continue' } }, signal }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode)).on('error', reject)
    })
    sent.on('error', reject)
    if (env.EXPECT) sent.once('continue', () => sent.end(body)).flushHeaders()
    else if (env.TRICKLE) trickle(sent)
    else sent.end(body || undefined)
  })
}

/** @type {Map<number, any>} by port */
const dispatchers = new Map()

/** @param {number} port @param {string} url @param {string} [told] */
async function askUndici (port, url, told) {
  const { Client, Pool } = require('undici')
  const options = { pipelining: Number(env.PIPELINING ?? 1), connect: { rejectUnauthorized: false } }
  const origin = `${env.NEXT_TLS ? 'https' : 'http'}://${NEXT_HOST}:${port}`
  if (!dispatchers.has(port)) dispatchers.set(port, env.UNDICI === 'pool' ? new Pool(origin, { ...options, connections: 2 }) : new Client(origin, options))
  const { statusCode, body: answer } = await dispatchers.get(port).request({ path: url, method: body ? 'POST' : 'GET', body: body || null, headers: names(told) })
  await answer.text()
  return statusCode
}

/** A body in three parts, each in its own time. @param {http.ClientRequest} sent */
function trickle (sent) {
  let left = 3
  const timer = setInterval(() => {
    sent.write(body)
    if (--left > 0) return
    clearInterval(timer)
    sent.end()
  }, 3)
}

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
async function answer (request, response) {
  try {
    if (++answered % Number(env.FAIL ?? Infinity) === 0) response.statusCode = 503
    work()
    const waits = env.SLOW_EACH && answered % Number(env.SLOW_EACH) === 0 ? 10 * WAIT_MS : WAIT_MS
    if (waits > 0) await new Promise((resolve) => setTimeout(resolve, waits))
    const url = /** @type {string} */ (request.url)
    const told = /** @type {string | undefined} */ (request.headers['x-request-id'])
    if (env.TOGETHER) await Promise.all(PORTS.map((port) => ask(port, url, told)))
    else for (const port of PORTS) await ask(port, url, told)
    if (PORTS.length > 0) work()
  } catch {
    response.statusCode = 502
  }
  response.end('x'.repeat(Number(env.ANSWER ?? 4)))
}

function serve () {
  const file = (/** @type {string} */ name) => fs.readFileSync(path.join(__dirname, 'tls', name))
  const secrets = () => ({ key: file('key.pem'), cert: file('certificate.pem') })
  const listener = /** @type {any} */ (answer)
  const ofHttp2 = () => env.TLS ? http2.createSecureServer(secrets(), listener) : http2.createServer(listener)
  const server = env.HTTP2 ? ofHttp2() : env.TLS ? https.createServer(secrets(), answer) : http.createServer(answer)
  const local = env.SOCKET && http.createServer(answer).listen(env.SOCKET)
  serving(server.listen(0, env.HOST ?? '127.0.0.1'), () => {
    agent.destroy()
    if (local) local.close()
    for (const session of sessions.values()) session.close()
    for (const dispatcher of dispatchers.values()) dispatcher.close()
  })
}

/** Tells the port that the workers share, and ends them all. */
function lead () {
  for (let i = 0; i < Number(env.WORKERS); i++) cluster.fork()
  let told = 0
  cluster.on('message', (_, message) => {
    if (++told === Number(env.WORKERS)) process.send?.(message)
  })
  process.once('message', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.send('stop')
    process.disconnect?.()
  })
}

if (env.WORKERS && cluster.isPrimary) lead()
else serve()
