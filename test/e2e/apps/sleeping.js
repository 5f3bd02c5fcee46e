'use strict'

// Each route does one thing in the kernel, of which it is known how much.

const fs = require('node:fs')
const http = require('node:http')
const { Worker } = require('node:worker_threads')
const { serving } = require('./serving')

const CALLS = 300
const WAIT_MS = 25

const words = new Int32Array(new SharedArrayBuffer(8))
const file = fs.openSync(__filename, 'r')
// Wakes who waits for the second word, when the first one asks for it.
const waker = new Worker(`
  const { workerData: words } = require('node:worker_threads')
  for (;;) {
    Atomics.wait(words, 0, 0)
    if (Atomics.exchange(words, 0, 0) < 0) break
    const until = performance.now() + ${WAIT_MS}
    while (performance.now() < until);
    Atomics.store(words, 1, 1)
    Atomics.notify(words, 1)
  }`, { eval: true, workerData: words })

const work = /** @type {Record<string, () => void>} */ ({
  '/waits': () => { Atomics.wait(words, 1, 0, WAIT_MS) },
  '/woken': () => {
    Atomics.store(words, 1, 0)
    Atomics.store(words, 0, 1)
    Atomics.notify(words, 0)
    Atomics.wait(words, 1, 0)
    Atomics.store(words, 1, 0)
  },
  '/calls': () => { for (let i = 0; i < CALLS; i++) fs.fstatSync(file) },
  '/runs': () => {
    const until = performance.now() + WAIT_MS
    while (performance.now() < until);
  }
})

/** @returns {number} ns that this thread could run and did not */
const queuedNs = () => Number(fs.readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1])

const server = http.createServer((request, response) => {
  const before = queuedNs()
  work[String(request.url)]?.()
  response.end(String(queuedNs() - before))
})
serving(server.listen(0, '127.0.0.1'), () => {
  Atomics.store(words, 0, -1)
  Atomics.notify(words, 0)
  waker.terminate()
})
