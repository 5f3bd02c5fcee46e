'use strict'

// What other tools are given is what the report says, in their own code's eyes.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { ROOT, inParallel, report, request, startApp, temporaryDirectory } = require('../e2e/recorded-app')
const { engines } = require('./engines')

const GOLDEN = path.join(ROOT, 'test/golden')
const REQUESTS = 60

/** @param {any} t @returns {Promise<string>} a trace in which requests wait for each other */
async function recorded (t) {
  const app = await startApp(t, 'demands.js')
  const headersOf = (/** @type {number} */ i) => i % 2 === 0 ? {} : { traceparent: `00-${String(i).padStart(32, '1')}-${String(i).padStart(16, '2')}-01` }
  await inParallel(REQUESTS, (i) => request(app.port, i % 3 === 0 ? '/works' : '/asks', { headers: headersOf(i) }))
  await app.stop()
  return app.out
}

/** @param {any} t @returns {{ name: string, directory: string }[]} recorded long ago */
function goldens (t) {
  return fs.readdirSync(GOLDEN).filter((name) => name.endsWith('.ewt')).map((name) => {
    const directory = temporaryDirectory(t)
    fs.copyFileSync(path.join(GOLDEN, name), path.join(directory, '1-0.ewt'))
    return { name, directory }
  })
}

const valueOf = (/** @type {any[]} */ attributes, /** @type {string} */ key) => {
  const { intValue, stringValue, boolValue } = attributes.find((one) => one.key === key)?.value ?? {}
  return intValue === undefined ? stringValue ?? boolValue : Number(intValue)
}

test('spans: OpenTelemetry decodes all of them without loss, and they are the requests of the report', async (t) => {
  const found = await engines(t)
  if (!found) return
  for (const { name, directory } of [{ name: 'recorded', directory: await recorded(t) }, ...goldens(t)]) {
    const file = path.join(temporaryDirectory(t), 'spans')
    const run = found.edgewise(['export', 'otlp', directory, '--out', file, '--sample', '1'])
    assert.equal(run.status, 0, run.stderr)
    assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    const sent = fs.readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line))
    const spans = sent.flatMap((request) => decoded(found.otlp(), request)).flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans: [{ spans }] }) => spans)
    const { requests, tail, rest } = report(directory)
    const roots = spans.filter(({ kind }) => kind === 2)
    assert.equal(roots.length, requests.count, name)
    for (const part of ['io_ns', 'queue_ns']) {
      const mean = (tail.count * tail[part] + rest.count * rest[part]) / requests.count
      const sum = roots.reduce((total, { attributes }) => total + valueOf(attributes, `edgewise.${part}`), 0)
      assert.ok(Math.abs(sum / requests.count - mean) <= 2 + 1e-9 * mean, `${name}: ${part}`)
    }
    for (const root of roots) fills(root, spans.filter(({ parentSpanId }) => parentSpanId === root.spanId))
  }
})

/** @param {any} type @param {any} request @returns {any} the same, as the protocol has it; and it is equal */
function decoded (type, request) {
  const bytes = (/** @type {string} */ hex) => Buffer.from(hex, 'hex').toString('base64')
  const message = JSON.parse(JSON.stringify(request), (key, value) => /^(trace|span|parentSpan)Id$/.test(key) ? bytes(value) : value)
  const read = type.toObject(type.decode(type.encode(type.fromObject(message)).finish()), { longs: String, bytes: String })
  const without = JSON.parse(JSON.stringify(message), (_key, value) => Array.isArray(value) && value.length === 0 ? undefined : value)
  assert.deepEqual(JSON.parse(JSON.stringify(read)), without)
  return read
}

/** The children of a span follow each other without a gap, from its begin to its end. */
function fills (/** @type {any} */ root, /** @type {any[]} */ children) {
  let at = root.startTimeUnixNano
  for (const child of children) {
    assert.equal(child.startTimeUnixNano, at)
    at = child.endTimeUnixNano
  }
  assert.equal(at, root.endTimeUnixNano)
}

test('spans: who waited behind whom is linked', async (t) => {
  const found = await engines(t)
  if (!found) return
  const file = path.join(temporaryDirectory(t), 'spans')
  found.edgewise(['export', 'otlp', await recorded(t), '--out', file, '--sample', '1', '--service', 'shop', '--shift-to-now'])
  const [{ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }] = fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  assert.equal(valueOf(resource.attributes, 'service.name'), 'shop')
  const roots = spans.filter((/** @type {any} */ { kind }) => kind === 2)
  const ids = new Set(roots.map((/** @type {any} */ { spanId }) => spanId))
  const links = roots.flatMap((/** @type {any} */ root) => root.links)
  assert.ok(links.length > REQUESTS / 2, String(links.length))
  for (const { spanId } of links) assert.ok(ids.has(spanId))
  for (const root of roots) {
    const waited = root.links.reduce((/** @type {number} */ sum, /** @type {any} */ { attributes }) => sum + valueOf(attributes, 'edgewise.queue_ns'), 0)
    assert.ok(waited <= valueOf(root.attributes, 'edgewise.queue_ns'))
    assert.ok(['GET /works', 'GET /asks'].includes(root.name))
    assert.equal(valueOf(root.attributes, 'http.route'), root.name.slice(4))
  }
  const last = Math.max(...roots.map((/** @type {any} */ { endTimeUnixNano }) => Number(endTimeUnixNano)))
  assert.ok(Math.abs(last / 1e6 - Date.now()) < 60_000)
})

test('Perfetto: slices lie in each other, names are known, and flows lead forward', async (t) => {
  const found = await engines(t)
  if (!found) return
  let flows = 0
  for (const { name, directory } of [{ name: 'recorded', directory: await recorded(t) }, ...goldens(t)]) {
    const file = path.join(temporaryDirectory(t), 'trace')
    const run = found.edgewise(['export', 'perfetto', directory, '--out', file, '--percentile', '50'])
    assert.equal(run.status, 0, run.stderr)
    const type = found.perfetto()
    const { packet } = type.toObject(type.decode(fs.readFileSync(file)), { longs: String })
    const { slices, tracks } = read(packet ?? [])
    const { requests, events, tail, rest } = report(directory, { percentile: 50 })
    const whole = slices.filter(({ category, depth, track }) => category === 'request' && depth === 0 && tracks.get(track).name === 'requests')
    assert.ok(whole.length >= requests.count, name)
    assert.equal(slices.filter(({ category }) => category === 'event').length, events.count, name)
    const mean = (tail.count * tail.mean_latency_ns + rest.count * rest.mean_latency_ns) / requests.count
    if (whole.length === requests.count) assert.ok(Math.abs(whole.reduce((sum, { begin, end }) => sum + (end - begin), 0) / requests.count - mean) <= 2 + 1e-9 * mean, name)
    flows += flowsIn(slices)
  }
  assert.ok(flows > 10, String(flows))
})

/** @param {any[]} packets @returns {{ slices: any[], tracks: Map<string, any> }} */
function read (packets) {
  const tracks = new Map()
  const names = new Map()
  const stacks = new Map()
  const slices = /** @type {any[]} */ ([])
  packets.forEach((one, order) => Object.assign(one, { order }))
  for (const { trackDescriptor } of packets) if (trackDescriptor) tracks.set(trackDescriptor.uuid, trackDescriptor)
  for (const { trustedPacketSequenceId: sequence, internedData = {} } of packets) {
    for (const [kind, entries] of Object.entries(internedData)) for (const { iid, name } of entries) names.set(`${sequence} ${kind} ${iid}`, name)
  }
  const events = packets.filter(({ trackEvent }) => trackEvent)
  const first = Math.min(...events.map(({ timestamp }) => Number(timestamp)))
  for (const one of events.sort((a, b) => Number(BigInt(a.timestamp) - BigInt(b.timestamp)) || a.order - b.order)) {
    const { trackEvent: event, timestamp, trustedPacketSequenceId: sequence, sequenceFlags } = one
    assert.equal(sequenceFlags, 2)
    assert.ok(tracks.has(event.trackUuid))
    const at = Number(BigInt(timestamp) - BigInt(first))
    const stack = stacks.get(event.trackUuid) ?? []
    stacks.set(event.trackUuid, stack)
    if (event.type === 2) {
      assert.ok(stack.length > 0, 'an end without a begin')
      stack.pop().end = at
      continue
    }
    const named = (/** @type {string} */ kind, /** @type {string} */ iid) => {
      const name = names.get(`${sequence} ${kind} ${iid}`)
      assert.ok(name, `${kind} ${iid}`)
      return name
    }
    const slice = {
      name: named('eventNames', event.nameIid),
      category: named('eventCategories', event.categoryIids[0]),
      track: event.trackUuid,
      depth: stack.length,
      begin: at,
      end: NaN,
      flows: event.flowIds ?? [],
      from: event.terminatingFlowIds ?? []
    }
    for (const note of event.debugAnnotations ?? []) named('debugAnnotationNames', note.nameIid)
    stack.push(slice)
    slices.push(slice)
  }
  for (const slice of slices) assert.ok(slice.end >= slice.begin, slice.name)
  return { slices, tracks }
}

/** @param {any[]} slices @returns {number} how many there are that end */
function flowsIn (slices) {
  const begins = new Map(slices.flatMap((slice) => slice.flows.map((/** @type {string} */ flow) => [flow, slice])))
  const ends = slices.flatMap((slice) => slice.from.map((/** @type {string} */ flow) => ({ flow, slice })))
  for (const { flow, slice } of ends) {
    assert.ok(begins.has(flow))
    assert.ok(begins.get(flow).begin <= slice.begin)
  }
  return ends.length
}
