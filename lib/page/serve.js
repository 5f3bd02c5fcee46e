'use strict'

// The page from a server of our own, which answers what the page's columns have
// no room for. Only this machine reaches it, and only who knows its address.

const http = require('node:http')
const { randomBytes, timingSafeEqual } = require('node:crypto')

const HOST = '127.0.0.1'
/** Of an answer. */
const MOST_REQUESTS = 1000
const HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin'
}

/** What may be asked, and what the addon is asked for it: whole numbers, ns but for `number`, `route`, `count` and `tail`. @type {Record<string, (of: Record<string, number | undefined>) => Record<string, any>>} */
const QUESTIONS = {
  window: ({ from = 0, to = 0, least = 1 }) => ({ windowFrom: from, windowTo: to, windowLeast: least }),
  request: ({ number = 0 }) => ({ number }),
  requests: ({ count = 1, tail, ...selection }) => ({ ...selection, tail: tail === 1, count: Math.min(count, MOST_REQUESTS) })
}
const NAMES = ['from', 'to', 'least', 'most', 'route', 'tail', 'count', 'number']

/**
 * @param {string} page HTML
 * @param {(question: Record<string, any>) => Promise<Uint8Array>} ask the addon's
 * @param {{ port?: number }} [options] 0: any that is free
 * @returns {Promise<{ address: string, close: () => Promise<void> }>}
 * @throws {Error} it cannot listen
 */
async function serve (page, ask, { port = 0 } = {}) {
  const token = randomBytes(16).toString('base64url')
  const server = http.createServer((request, response) => {
    answer(request, { token, page, ask }).catch((error) => refusal(error.code === 'NOT_FOUND' ? 404 : 500, error.message))
      .then(({ status, type, body }) => response.writeHead(status, { ...HEADERS, 'Content-Type': type }).end(body))
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, HOST, () => resolve(undefined)))
  const { port: given } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => new Promise((/** @type {(value?: any) => void} */ resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
  return { address: `http://${HOST}:${given}/${token}/`, close }
}

/** @param {import('node:http').IncomingMessage} request @param {{ token: string, page: string, ask: (question: Record<string, any>) => Promise<Uint8Array> }} server */
async function answer ({ method, url = '', headers, socket }, { token, page, ask }) {
  // A name that another site has pointed here is not ours.
  if (![`${HOST}:${socket.localPort}`, `localhost:${socket.localPort}`].includes(headers.host ?? '')) return refusal(403, 'this server is only for this machine')
  const [, given = '', what = ''] = /^\/([^/?]*)\/([a-z]*)(\?|$)/.exec(url) ?? []
  if (!isSame(given, token)) return refusal(404, 'give the whole address, as edgewise view has printed it')
  if (method !== 'GET' && method !== 'HEAD') return refusal(405, `${method}: only GET is allowed`)
  if (what === '') return { status: 200, type: 'text/html; charset=utf-8', body: page }
  if (!Object.hasOwn(QUESTIONS, what)) return refusal(404, `${what}: ${Object.keys(QUESTIONS).join(', ')} can be asked`)
  const asked = numbersOf(new URL(url, `http://${HOST}`).searchParams)
  if (typeof asked === 'string') return refusal(400, asked)
  return { status: 200, type: 'application/octet-stream', body: await ask(QUESTIONS[what](asked)) }
}

/** @param {URLSearchParams} given @returns {Record<string, number> | string} or what is wrong */
function numbersOf (given) {
  for (const [name, value] of given) {
    if (!NAMES.includes(name)) return `${name}: only ${NAMES.join(', ')} are allowed`
    if (!/^\d{1,15}$/.test(value)) return `${name}=${value}: must be a whole number`
  }
  return Object.fromEntries([...given].map(([name, value]) => [name, Number(value)]))
}

/** @param {string} given @param {string} token */
function isSame (given, token) {
  return given.length === token.length && Buffer.byteLength(given) === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token))
}

const refusal = (/** @type {number} */ status, /** @type {string} */ text) => ({ status, type: 'text/plain; charset=utf-8', body: `${text}\n` })

module.exports = { serve }
