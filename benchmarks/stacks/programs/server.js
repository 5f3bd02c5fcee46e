'use strict'

// A server with a route for the work of each program, of as many milliseconds
// as the query says. /truth is what it has measured, /end ends it.

const http = require('node:http')
const { Worker, isMainThread } = require('node:worker_threads')
const { readClocks } = require('./clocks')
const { WORK } = require('./functions')

/** @typedef {import('../served').Worked} Worked */

/** @type {Worked[]} */
const truth = []

if (isMainThread && process.env.STACKS_WORKER) new Worker(__filename, { env: process.env }).once('exit', () => process.exit(0))
else serve()

function serve () {
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(String(request.url), 'http://localhost')
    if (pathname === '/truth') return response.end(JSON.stringify(truth))
    if (pathname === '/end') return response.end('', () => setImmediate(() => process.exit(0)))
    await work(pathname.slice(1), Number(searchParams.get('ms')))
    response.end()
  })
  server.listen(0, '127.0.0.1', () => console.log(`listening ${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`))
  process.once('SIGTERM', () => process.exit(0))
}

/** @param {string} name @param {number} ms */
function work (name, ms) {
  const worked = { route: `/${name}`, ns: 0, wallNs: 0 }
  truth.push(worked)
  const since = (/** @type {ReturnType<typeof readClocks>} */ began) => {
    const now = readClocks()
    worked.ns += Number(now.ranNs - began.ranNs)
    worked.wallNs += Number(now.wallNs - began.wallNs)
  }
  return WORK[name](ms, (task) => {
    const began = readClocks()
    const result = task()
    since(began)
    return result
  }, since)
}
