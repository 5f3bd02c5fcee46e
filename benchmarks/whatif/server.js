'use strict'

// Routes of known demands: so much work, so long a wait. What is changed in an
// experiment comes by the environment.

const http = require('node:http')
const net = require('node:net')
const { Worker, isMainThread, parentPort } = require('node:worker_threads')

const number = (/** @type {string} */ name, /** @type {number} */ otherwise) => Number(process.env[name] ?? otherwise)
/** Iterations of spin() a microsecond of the bare loop: work, not time, so that who is interrupted takes longer. */
const PER_US = number('ITERATIONS_PER_US', 500)
const QUICK_US = number('QUICK_US', 400)
const HEAVY_US = number('HEAVY_US', 4000)
const WAIT_US = number('WAIT_US', 5000)
const TOGETHER = process.env.TOGETHER === '1'
const OFFLOAD = process.env.OFFLOAD === '1'
const BACKLOG = 4096

let sink = 0
function spin (/** @type {number} */ us) {
  let x = sink | 1
  const iterations = Math.round(us * PER_US)
  for (let i = 0; i < iterations; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0
  sink = x
}

/** One connection for all: answers that come together are read together. */
function connect () {
  /** @type {Map<string, () => void>} */
  const waiting = new Map()
  let next = 1
  let rest = ''
  const socket = net.connect(number('DELAY_PORT', 0), '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = /** @type {string} */ (lines.pop())
    for (const id of lines) {
      const answered = waiting.get(id)
      waiting.delete(id)
      answered?.()
    }
  })
  return (/** @type {number} */ us) => new Promise((resolve) => {
    const id = String(next++)
    waiting.set(id, () => resolve(undefined))
    socket.write(`${id} ${us}\n`)
  })
}

let seed = 12345
/** @returns {number} us: at least the route's, some longer */
function waitUs () {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
  return Math.round(WAIT_US - Math.log((seed + 0.5) / 0x80000000) * 500)
}

function offloader () {
  const worker = new Worker(__filename)
  /** @type {(() => void)[]} */
  const waiting = []
  worker.on('message', () => waiting.shift()?.())
  return (/** @type {number} */ us) => new Promise((resolve) => {
    waiting.push(() => resolve(undefined))
    worker.postMessage(us)
  })
}

function serve () {
  const query = connect()
  const offload = OFFLOAD ? offloader() : undefined
  /** @type {Record<string, () => Promise<void>>} */
  const routes = {
    '/quick': async () => spin(QUICK_US),
    '/asks': async () => {
      spin(250)
      await query(waitUs())
      spin(350)
    },
    '/heavy': async () => {
      if (offload) await offload(HEAVY_US)
      else spin(HEAVY_US)
    },
    '/twice': async () => {
      spin(200)
      if (TOGETHER) {
        await Promise.all([query(waitUs()), query(waitUs())])
      } else {
        await query(waitUs())
        await query(waitUs())
      }
      spin(200)
    }
  }
  for (let i = 0; i < 400; i++) spin(100) // Compiled before anybody asks.
  http.createServer((request, response) => {
    const route = routes[request.url ?? '']
    if (!route) {
      response.statusCode = 404
      response.end()
      return
    }
    route().then(() => response.end('done'))
  }).listen({ port: number('PORT', 0), host: '127.0.0.1', backlog: BACKLOG })
  process.once('SIGTERM', () => process.exit(0))
}

if (!isMainThread) {
  for (let i = 0; i < 400; i++) spin(100)
  parentPort?.on('message', (us) => {
    spin(us)
    parentPort?.postMessage(0)
  })
} else {
  serve()
}
