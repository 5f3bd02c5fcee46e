'use strict'

// Requests as spans of OpenTelemetry, in OTLP's JSON encoding.

const crypto = require('node:crypto')
const { appOf } = require('./layout')

const KIND = { internal: 1, server: 2, client: 3 }
const ERROR = 2
/** Of semantic conventions; what has no name there goes without. */
const DATABASES = /** @type {Record<string, string>} */ ({ redis: 'redis', postgresql: 'postgresql', mysql: 'mysql', mongodb: 'mongodb' })
const HTTP_ROUTE = /^(?<method>[A-Z]+) (?<route>\/.*|\*)$/

/**
 * @typedef {object} Step of a critical path
 * @property {string} type
 * @property {number} io_ns
 * @property {number} queue_ns
 * @property {number} exec_ns
 * @property {number} gc_ns
 * @property {string} [dependency]
 * @property {string} [peer]
 * @property {string} [call]
 * @property {number} [merged]
 *
 * @typedef {object} Told a request, as src/handover/span_log writes it
 * @property {string} trace
 * @property {number} request
 * @property {number} process
 * @property {number} thread
 * @property {string} command
 * @property {string} host
 * @property {string} node
 * @property {string} route
 * @property {string} kind
 * @property {number} status
 * @property {string} outcome
 * @property {boolean} tail
 * @property {string} unix_ns
 * @property {number} latency_ns
 * @property {number} io_ns
 * @property {number} queue_ns
 * @property {number} exec_ns
 * @property {number} gc_ns
 * @property {Step[]} steps
 * @property {[number, number, string?][]} blockers requests of its file, with ns, and the trace-id that their callers have given
 * @property {string} [trace_id] what its caller has said of itself
 * @property {string} [parent_span_id]
 * @property {number} [trace_flags]
 *
 * @typedef {{ service?: string, shiftNs?: bigint }} Naming
 */

/**
 * @param {Told[]} requests
 * @param {Naming} naming
 * @returns {{ resourceSpans: object[] }} an ExportTraceServiceRequest
 */
function exportRequest (requests, { service, shiftNs = 0n }) {
  const groups = new Map()
  for (const told of requests) {
    const key = JSON.stringify([told.host, told.command, told.process])
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(told)
  }
  const { version } = require('../../package.json')
  return {
    resourceSpans: Array.from(groups.values(), (group) => ({
      resource: { attributes: resourceOf(group[0], service) },
      scopeSpans: [{ scope: { name: 'edgewise', version }, spans: group.flatMap((/** @type {Told} */ told) => spansOf(told, shiftNs)) }]
    }))
  }
}

/** @param {Told} told @param {string} [service] */
function resourceOf ({ host, command, process, node }, service) {
  return attributes({
    'service.name': service ?? appOf(command),
    ...host && { 'host.name': host },
    'process.pid': process,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': node.replace(/^v/, ''),
    'telemetry.sdk.language': 'nodejs'
  })
}

/** @param {Told} told @param {bigint} shiftNs @returns {object[]} its span, and those of its steps */
function spansOf (told, shiftNs) {
  const { trace, request, thread, route, kind, status, outcome, tail, blockers } = told
  const begin = BigInt(told.unix_ns) + shiftNs
  const ids = idsOf(trace, request, told.trace_id)
  const { method, route: path } = kind === 'custom' ? {} : HTTP_ROUTE.exec(route)?.groups ?? {}
  const root = {
    ...ids,
    ...told.parent_span_id && { parentSpanId: told.parent_span_id, flags: told.trace_flags },
    name: route,
    kind: KIND.server,
    startTimeUnixNano: String(begin),
    endTimeUnixNano: String(begin + BigInt(told.latency_ns)),
    attributes: attributes({
      ...method && { 'http.request.method': method, 'http.route': path },
      ...status && { 'http.response.status_code': status },
      'thread.id': thread,
      'edgewise.request': request,
      'edgewise.tail': tail,
      'edgewise.io_ns': told.io_ns,
      'edgewise.queue_ns': told.queue_ns,
      'edgewise.exec_ns': told.exec_ns,
      'edgewise.gc_ns': told.gc_ns
    }),
    links: blockers.map(([other, ns, given]) => ({ ...idsOf(trace, other, given), attributes: attributes({ 'edgewise.link': 'blocked by', 'edgewise.queue_ns': ns }) })),
    ...(status >= 500 || outcome === 'failed') && { status: { code: ERROR } }
  }
  return [root, ...childrenOf(told, ids, begin)]
}

/** @param {Told} told @param {{ traceId: string, spanId: string }} ids @param {bigint} begin @returns {object[]} one after the other: they fill the request */
function childrenOf ({ trace, request, steps }, { traceId, spanId }, begin) {
  const children = /** @type {object[]} */ ([])
  let at = begin
  const add = (/** @type {number} */ ns, /** @type {{ name: string, kind?: number, attributes: Record<string, any> }} */ { name, kind = KIND.internal, attributes: told }) => {
    if (ns === 0) return
    children.push({
      traceId,
      spanId: hashed(`${trace}/${request}/${children.length}`, 8),
      parentSpanId: spanId,
      name,
      kind,
      startTimeUnixNano: String(at),
      endTimeUnixNano: String(at += BigInt(ns)),
      attributes: attributes(told)
    })
  }
  for (const step of steps) {
    const { type, io_ns: io, queue_ns: queue, exec_ns: exec, gc_ns: gc, dependency = 'unknown', call, merged } = step
    const of = { 'edgewise.event': type, ...merged && { 'edgewise.steps': merged } }
    add(io, { name: call ?? dependency, kind: KIND.client, attributes: { 'edgewise.part': 'io', ...of, ...peerOf(step) } })
    add(queue, { name: 'queued', attributes: { 'edgewise.part': 'queue', ...of } })
    add(exec, { name: `run ${type}`, attributes: { 'edgewise.part': 'execution', ...of, ...gc > 0 && { 'edgewise.gc_ns': gc } } })
  }
  return children
}

/** @param {Step} step @returns {Record<string, any>} */
function peerOf ({ dependency = '', peer = '', call }) {
  const { host, port } = /^(?<host>.+):(?<port>\d+)$/.exec(peer)?.groups ?? {}
  const database = DATABASES[dependency]
  return {
    'edgewise.dependency': dependency,
    ...host ? { 'server.address': host.replace(/^\[(.*)\]$/, '$1'), 'server.port': Number(port) } : peer && { 'server.address': peer },
    ...database && { 'db.system.name': database, ...call && { 'db.operation.name': call.replace(/^\S+ /, '') } }
  }
}

/** @param {string} trace @param {number} request @param {string} [given] the trace that its caller is in @returns {{ traceId: string, spanId: string }} the same each time */
function idsOf (trace, request, given = hashed(`${trace}/${request}`, 16)) {
  return { traceId: given, spanId: hashed(`${trace}/${request}/`, 8) }
}

/** @param {string} text @param {number} bytes @returns {string} hexadecimal */
function hashed (text, bytes) {
  return crypto.createHash('sha256').update(text).digest('hex').slice(0, 2 * bytes)
}

/** @param {Record<string, any>} values @returns {object[]} */
function attributes (values) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : typeof value === 'boolean' ? { boolValue: value } : { stringValue: value }
  }))
}

/** @param {{ resourceSpans: any[] }} request @returns {number} */
function countSpans ({ resourceSpans }) {
  return resourceSpans.reduce((sum, { scopeSpans: [{ spans }] }) => sum + spans.length, 0)
}

module.exports = { countSpans, exportRequest }
