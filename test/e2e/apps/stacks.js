'use strict'

// Routes whose work is done by one function each; /quick waits behind them. When it
// ends, it tells when spinning() and hashing() ran: [from, to] each, in ns.

const crypto = require('node:crypto')
const http = require('node:http')
const { setTimeout: pause } = require('node:timers/promises')
const { Worker, isMainThread } = require('node:worker_threads')

const MS = 48

const square = (/** @type {number} */ x) => x * x // Inlined when it is hot.

// What others take of the processor does not make its share less.
function spent () {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

const now = () => Number(process.hrtime.bigint())
/** @type {[number, number][]} */
const ran = []

function spinning () {
  const from = now()
  const end = spent() + MS
  let sum = 0
  while (spent() < end) for (let i = 0; i < 200_000; i++) sum += square(i)
  ran.push([from, now()])
  return sum
}

function hashing () {
  const from = now()
  crypto.pbkdf2Sync('secret', 'salt', 200_000, 32, 'sha1')
  ran.push([from, now()])
}

const TEXT = JSON.stringify(Array.from({ length: 60_000 }, (_, i) => ({ i, name: `item ${i}` })))

// Goes on without a look at V8's interrupts when it returns.
function parsing () {
  return JSON.parse(TEXT)
}

function later (/** @type {any[]} */ items) {
  let sum = 0
  for (const { i } of items.slice(0, 100)) sum += i
  return sum
}

function reached (/** @type {number} */ depth) {
  return depth === 0 ? spinning() : 1 + reached(depth - 1)
}

async function continued () {
  await pause(1)
  return spinning()
}

// Its native code is the last that its slice runs.
async function sliced () {
  /** @type {(value?: unknown) => void} */
  let open = () => {}
  const gate = new Promise((resolve) => { open = resolve })
  const done = Promise.all([gate.then(parsing), gate.then(() => later([{ i: 1 }]))])
  setTimeout(open, 1)
  return done
}

const evaluated = eval('(function evaluated (work) { return work() })\n//# sourceURL=evaluated.js') // eslint-disable-line no-eval

/** @type {Record<string, () => any>} */
const work = {
  '/spin': spinning,
  '/hash': hashing,
  '/parse': () => { const items = parsing(); return later(items) },
  '/deep': () => reached(200),
  '/async': continued,
  '/sliced': sliced,
  '/eval': () => evaluated(spinning),
  '/anonymous': () => { for (const end = performance.now() + MS; performance.now() < end;); },
  '/quick': () => {},
  '/workers': () => new Promise((resolve) => {
    const worker = new Worker(__filename)
    worker.once('online', () => setTimeout(() => worker.terminate().then(resolve), 5))
  })
}

if (isMainThread) {
  const server = http.createServer(async (request, response) => {
    await work[String(request.url)]()
    response.end('x')
  })
  server.listen(0, () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
  process.once('message', () => {
    server.close()
    server.closeAllConnections()
    process.send?.(ran, () => process.disconnect?.())
  })
} else {
  for (;;) spinning()
}
