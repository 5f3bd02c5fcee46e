'use strict'

// Requests that wait for what another request holds, or does: a slot, news, an answer that both use.

const http = require('node:http')
const { serving } = require('./serving')

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

let taken = false
/** @type {(() => void)[]} */
const waiting = []
async function acquire () {
  if (taken) await new Promise((resolve) => waiting.push(() => resolve(undefined)))
  taken = true
}
function release () {
  const next = waiting.shift()
  if (next) next()
  else taken = false
}

async function holding (/** @type {number} */ ms) {
  await acquire()
  await sleep(ms)
  release()
}

/** With callbacks only. */
function holdingPlainly (/** @type {number} */ ms, /** @type {() => void} */ done) {
  const held = () => setTimeout(() => { release(); done() }, ms)
  if (taken) waiting.push(held)
  else { taken = true; held() }
}

/** @type {(() => void)[]} */
const readers = []
/** @type {Promise<string> | undefined} */
let asked
function ask (/** @type {string} */ port) {
  asked ??= fetch(`http://127.0.0.1:${port}/slow`).then((answer) => answer.text()).finally(() => { asked = undefined })
  return asked
}

/** @type {Record<string, (port: string) => Promise<unknown>>} */
const routes = {
  report: () => holding(40),
  quick: () => holding(1),
  'hold-plainly': () => new Promise((resolve) => holdingPlainly(40, () => resolve(undefined))),
  early: async () => { await holding(40); await sleep(80) },
  news: () => new Promise((resolve) => readers.push(() => resolve(undefined))),
  publish: async () => { for (const reader of readers.splice(0)) reader() },
  first: ask,
  second: ask,
  apart: () => sleep(40)
}

serving(http.createServer(async (request, response) => {
  const [, route, port] = String(request.url).split('/')
  await routes[route](port)
  response.end('done')
}).listen(0, '127.0.0.1'))
