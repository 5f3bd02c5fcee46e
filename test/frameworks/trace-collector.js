'use strict'

// The agent of dd-trace and the server of Sentry: takes what they send, and
// keeps the names of the requests that they have seen.

const { once } = require('node:events')
const http = require('node:http')
const zlib = require('node:zlib')

/** @typedef {(body: Buffer, packages: NodeJS.Require) => string[]} NamesIn */

/** @type {NamesIn} */
function datadogNames (body, packages) {
  const traces = packages('msgpackr').unpack(body)
  return traces.flat().filter((/** @type {any} */ span) => span.meta['span.kind'] === 'server').map((/** @type {any} */ span) => span.resource)
}

/** @type {NamesIn} */
function sentryNames (body) {
  const spans = body.toString().split('\n').filter(Boolean).flatMap((line) => JSON.parse(line).items ?? [])
  return spans.filter(({ attributes }) => attributes?.['sentry.op']?.value === 'http.server').map(({ name }) => name)
}

const PATHS = { '/v0.4/traces': datadogNames, '/api/1/envelope/': sentryNames }

/**
 * @param {import('node:test').TestContext} t
 * @param {NodeJS.Require} packages
 * @returns {Promise<{ port: number, taken: () => string[] }>} taken() gives the names since the last call
 */
async function startCollector (t, packages) {
  /** @type {string[]} */
  const names = []
  const server = http.createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    const namesIn = PATHS[/** @type {keyof PATHS} */ (String(request.url).split('?')[0])]
    if (namesIn) names.push(...namesIn(request.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(body) : body, packages))
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { port, taken: () => names.splice(0).sort() }
}

module.exports = { startCollector }
