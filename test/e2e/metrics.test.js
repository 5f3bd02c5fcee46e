'use strict'

// What edgewise.metrics() says while a server is recorded is what the report
// says afterwards; and Debian's Prometheus reads it.

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { freePort } = require('../../benchmarks/apps/service')
const { inParallel, reportedRequests, request, startApp, temporaryDirectory, traceFiles } = require('./recorded-app')

const PARTS = { duration: 'latency_ns', io: 'io_ns', queueing: 'queue_ns', execution: 'exec_ns' }
const WAIT_MS = 20_000

/** @param {any} app @param {number} count */
async function drive (app, count) {
  await inParallel(count, (i) => request(app.port, i % 3 === 0 ? '/works' : '/asks'))
}

/** @param {string} text @returns {Map<string, number>} samples by name and labels */
function samplesOf (text) {
  return new Map(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
    const at = line.lastIndexOf(' ')
    return [line.slice(0, at), Number(line.slice(at + 1))]
  }))
}

/**
 * @template T
 * @param {() => Promise<T | undefined>} look
 * @returns {Promise<T>} what it finds in the end
 */
async function eventually (look) {
  for (const until = Date.now() + WAIT_MS; ;) {
    const found = await look()
    if (found !== undefined) return found
    assert.ok(Date.now() < until, 'it never came')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** @param {any} app @param {number} count of requests of both routes */
function scraped (app, count) {
  return eventually(async () => {
    const samples = samplesOf((await request(app.port, '/metrics')).body)
    const seen = ['/works', '/asks'].map((url) => samples.get(`edgewise_request_duration_seconds_count{route="GET ${url}"}`) ?? 0)
    return seen[0] + seen[1] >= count ? samples : undefined
  })
}

test('counts and sums of each route are those of the report, and buckets add up', async (t) => {
  const app = await startApp(t, 'measured.js')
  await request(app.port, '/metrics')
  await drive(app, 300)
  await request(app.port, '/breaks').catch(() => {})
  const samples = await scraped(app, 300)
  await app.stop()
  const rows = reportedRequests(app.out)
  for (const route of ['GET /works', 'GET /asks']) {
    const of = rows.filter((row) => row.route === route)
    assert.ok(of.length >= 100)
    for (const [part, key] of Object.entries(PARTS)) {
      const name = `edgewise_request_${part}_seconds`
      assert.equal(samples.get(`${name}_count{route="${route}"}`), of.length)
      const sum = of.reduce((all, row) => all + row[key], 0) / 1e9
      // A thread follows the clock chunk by chunk, as the report does.
      assert.ok(Math.abs((samples.get(`${name}_sum{route="${route}"}`) ?? 0) - sum) < 1e-6, `${route} ${part}`)
      const bounds = [...samples.keys()].filter((key) => key.startsWith(`${name}_bucket{route="${route}"`))
        .map((key) => ({ bound: Number(/le="([^"]+)"/.exec(key)?.[1].replace('+Inf', 'Infinity')), count: samples.get(key) }))
      assert.equal(bounds.at(-1)?.bound, Infinity)
      for (const { bound, count } of bounds) {
        const below = of.filter((row) => row[key] / 1e9 <= bound).length
        assert.equal(count, below, `${route} ${part} up to ${bound}`)
      }
    }
    const loop = samples.get(`edgewise_request_loop_seconds_sum{route="${route}"}`) ?? 0
    assert.ok(loop >= of.length * 0.001, 'each runs for 1 ms')
  }
  assert.equal(samples.get('edgewise_requests_aborted_total{route="GET /breaks"}') ?? samples.get('edgewise_requests_aborted_total{route="(unknown route)"}'), 1)
  assert.equal(samples.get('edgewise_requests_lost_total'), 0)
})

test('in flight mode no trace is written, and nothing is missed', async (t) => {
  const app = await startApp(t, 'measured.js', { env: { EDGEWISE_MODE: 'flight', EDGEWISE_MAX_MB: '1' } })
  await request(app.port, '/metrics')
  await drive(app, 3000)
  const samples = await scraped(app, 3000)
  assert.equal(samples.get('edgewise_requests_lost_total'), 0)
  assert.ok(fs.statSync(traceFiles(app.out)[0]).size < 10_000, 'what the recording is of')
  await app.stop()
})

test('a server that is not recorded has no requests to tell of', async (t) => {
  const app = await startApp(t, 'measured.js', { register: null })
  const { status, body } = await request(app.port, '/metrics')
  assert.equal(status, 200)
  assert.equal(samplesOf(body).get('edgewise_recording'), 0)
  assert.doesNotMatch(body, /edgewise_request/)
  await app.stop()
})

test('where the trace cannot be read a comment says so, and the rest is there', async (t) => {
  const app = await startApp(t, 'measured.js')
  for (const file of traceFiles(app.out)) fs.rmSync(file)
  const { status, body } = await request(app.port, '/metrics')
  assert.equal(status, 200)
  assert.match(body, /^# Requests are unavailable: cannot open .*No such file/m)
  assert.equal(samplesOf(body).get('edgewise_recording'), 1)
  await app.stop()
})

/** Debian's Prometheus, which scrapes a port every second. @param {any} t @param {number} target @returns {Promise<number>} its own port */
async function startPrometheus (t, target) {
  const directory = temporaryDirectory(t)
  const config = path.join(directory, 'prometheus.yml')
  fs.writeFileSync(config, `
scrape_configs:
  - job_name: edgewise
    scrape_interval: 1s
    static_configs:
      - targets: ['127.0.0.1:${target}']
`)
  const port = await freePort()
  const child = spawn('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${path.join(directory, 'data')}`, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  return port
}

/** @param {number} port @param {string} query @returns {Promise<number | undefined>} the value of a query's first series */
async function ask (port, query) {
  const { body } = await request(port, `/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => ({ body: '{}' }))
  const value = body.startsWith('{') ? JSON.parse(body).data?.result?.[0]?.value[1] : undefined
  return value === undefined ? undefined : Number(value)
}

test('Prometheus scrapes it, and tells percentiles of a route', async (t) => {
  const app = await startApp(t, 'measured.js')
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: (await request(app.port, '/metrics')).body, encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const port = await startPrometheus(t, app.port)
  await drive(app, 300)
  const count = await eventually(async () => {
    const found = await ask(port, 'edgewise_request_duration_seconds_count{route="GET /asks"}')
    return (found ?? 0) >= 200 ? found : undefined
  })
  assert.equal(count, 200)
  const median = await ask(port, 'histogram_quantile(0.5, edgewise_request_duration_seconds_bucket{route="GET /asks"})')
  assert.ok(median !== undefined && median > 0.01, `${median} s: it waits for 10 ms`)
  assert.equal(await ask(port, 'up{job="edgewise"}'), 1)
  await app.stop()
})
