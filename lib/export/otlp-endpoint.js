'use strict'

// Sends spans to a collector, as OTLP over HTTP asks for it.

const { setTimeout: delay } = require('node:timers/promises')

const TIMEOUT_MS = 10_000
const ATTEMPTS = 4
const FIRST_DELAY_MS = 500
/** What a collector may be asked again after. */
const AGAIN = [429, 502, 503, 504]

/**
 * @param {string} endpoint
 * @returns {string} where spans go: below a collector's address, or as it is given
 * @throws {Error} it is none
 */
function spansUrl (endpoint) {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${JSON.stringify(endpoint)} is no address: expected one such as http://localhost:4318`)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.href
}

/** @param {string} [text] of OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas @returns {Record<string, string>} */
function headersOf (text = '') {
  return Object.fromEntries(text.split(',').map((pair) => pair.split('=')).filter(([name, value]) => name.trim() && value !== undefined)
    .map(([name, ...value]) => [name.trim(), decodeURIComponent(value.join('=').trim())]))
}

/**
 * @param {string} url
 * @param {object} request
 * @param {{ headers?: Record<string, string>, signal?: AbortSignal, timeoutMs?: number }} [options]
 * @returns {Promise<number>} spans that it has refused
 * @throws {Error} it does not take them
 */
async function send (url, request, { headers, signal, timeoutMs = TIMEOUT_MS } = {}) {
  const body = JSON.stringify(request)
  let why = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await post(url, { body, headers, signal, timeoutMs }).catch((error) => ({ failed: reasonOf(error, timeoutMs) }))
    if (signal?.aborted) return 0
    if ('rejected' in answer) return answer.rejected
    why = answer.failed
    if ('last' in answer || attempt === ATTEMPTS - 1) break
    await delay(('afterMs' in answer && answer.afterMs) || FIRST_DELAY_MS * 2 ** attempt, undefined, { signal }).catch(() => {})
  }
  throw new Error(`${url} does not take the spans: ${why}`)
}

/** @returns {Promise<{ rejected: number } | { failed: string, afterMs?: number, last?: true }>} */
async function post (url, { body, headers, signal, timeoutMs }) {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, {
    method: 'POST', body, headers: { 'content-type': 'application/json', ...headers }, signal: signal ? AbortSignal.any([signal, timeout]) : timeout
  })
  const text = await response.text()
  if (response.ok) return { rejected: Number(parsed(text)?.partialSuccess?.rejectedSpans ?? 0) }
  const failed = `HTTP ${response.status}${text ? `, ${parsed(text)?.message ?? text.slice(0, 200)}` : ''}`
  if (!AGAIN.includes(response.status)) return { failed, last: true }
  return { failed, afterMs: 1000 * Number(response.headers.get('retry-after')) || undefined }
}

/** @param {any} error @param {number} timeoutMs */
function reasonOf (error, timeoutMs) {
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  return error.cause?.code ?? error.cause?.message ?? error.message
}

/** @param {string} text @returns {any} undefined: it is no JSON */
function parsed (text) {
  try {
    return JSON.parse(text)
  } catch {}
}

module.exports = { headersOf, send, spansUrl }
