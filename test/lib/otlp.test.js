'use strict'

// Spans that are sent to a collector, which may not want them.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { headersOf, send, spansUrl } = require('../../lib/export/otlp-endpoint')

const ROOT = path.join(__dirname, '../..')

/**
 * @param {any} t
 * @param {((request: http.IncomingMessage, response: http.ServerResponse) => void)[]} answers of each call; the last one, of all further ones
 */
async function collector (t, answers) {
  const got = /** @type {{ url?: string, headers: http.IncomingHttpHeaders, body: any }[]} */ ([])
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const data of request) body += data
    got.push({ url: request.url, headers: request.headers, body: JSON.parse(body) })
    answers[Math.min(got.length, answers.length) - 1](request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => { server.closeAllConnections(); server.close() })
  return { got, url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}` }
}

const ok = (_request, response) => response.end('{"partialSuccess":{}}')
const status = (/** @type {number} */ code, body = '') => (_request, /** @type {http.ServerResponse} */ response) => { response.statusCode = code; response.end(body) }

test('addresses and headers as OpenTelemetry has them', () => {
  assert.equal(spansUrl('http://localhost:4318'), 'http://localhost:4318/v1/traces')
  assert.equal(spansUrl('https://otel.example/otlp/v1/traces'), 'https://otel.example/otlp/v1/traces')
  for (const text of ['localhost:4318', 'ftp://x', '', '/v1/traces']) assert.throws(() => spansUrl(text), /is no address: expected one such as/, text)
  assert.deepEqual(headersOf('api-key=a%20b,  x = y=z '), { 'api-key': 'a b', x: 'y=z' })
  assert.deepEqual(headersOf(), {})
})

test('who is busy is asked again; what was refused is counted', async (t) => {
  const { got, url } = await collector(t, [status(503), (_request, response) => response.end('{"partialSuccess":{"rejectedSpans":"3","errorMessage":"old"}}')])
  assert.equal(await send(url, { a: 1 }, { headers: { 'x-key': 'k' } }), 3)
  assert.deepEqual(got.map(({ body }) => body), [{ a: 1 }, { a: 1 }])
  assert.equal(got[1].headers['x-key'], 'k')
  assert.equal(got[1].headers['content-type'], 'application/json')
})

test('who does not want it is not asked again', async (t) => {
  const { got, url } = await collector(t, [status(401, '{"message":"who are you"}')])
  await assert.rejects(send(url, {}), new RegExp(`${url} does not take the spans: HTTP 401, who are you`))
  assert.equal(got.length, 1)
})

test('who is not there, and who stalls, is named', async (t) => {
  const gone = http.createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (gone.address())
  gone.close()
  await assert.rejects(send(`http://127.0.0.1:${port}`, {}), /does not take the spans: ECONNREFUSED/)
  const { url } = await collector(t, [() => {}])
  await assert.rejects(send(url, {}, { timeoutMs: 100 }), /does not take the spans: no answer within 0\.1 s/)
})

/** @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
async function edgewise (args, env = {}) {
  const child = spawn(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), 'export', ...args], { env: { ...process.env, ...env } })
  let stderr = ''
  child.stderr.on('data', (text) => { stderr += text })
  child.stdout.resume()
  const [code] = await once(child, 'close')
  return { code, stderr }
}

/** @param {any} t @returns {string} a directory with a trace */
function trace (t) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-otlp-test-'))
  t.after(() => fs.rmSync(directory, { recursive: true }))
  fs.copyFileSync(path.join(ROOT, 'test/golden/recorded-http.ewt'), path.join(directory, '1-0.ewt'))
  return directory
}

test('a trace is sent, with the headers of the environment', async (t) => {
  const { got, url } = await collector(t, [ok])
  const { code, stderr } = await edgewise(['otlp', trace(t), '--endpoint', url, '--sample', '1'], { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=s3cr3t' })
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^edgewise: \d+ requests as \d+ spans are in http/)
  assert.doesNotMatch(stderr, /s3cr3t/)
  assert.equal(got[0].url, '/v1/traces')
  assert.equal(got[0].headers['x-key'], 's3cr3t')
  assert.ok(got[0].body.resourceSpans[0].scopeSpans[0].spans.length > 0)
})

test('what is beyond the most is told', async (t) => {
  const { got, url } = await collector(t, [ok])
  const { stderr } = await edgewise(['otlp', trace(t), '--endpoint', url, '--sample', '1', '--most', '1'])
  assert.match(stderr, /\d+ requests are left out: --most 1/)
  assert.equal(got[0].body.resourceSpans[0].scopeSpans[0].spans.filter(({ kind }) => kind === 2).length, 1)
})

test('a collector that refuses fails the command in one line', async (t) => {
  const { url } = await collector(t, [status(400, 'no spans today')])
  const { code, stderr } = await edgewise(['otlp', trace(t), '--endpoint', url, '--sample', '1'])
  assert.equal(code, 1)
  assert.match(stderr, /does not take the spans: HTTP 400, no spans today\n$/)
})

test('bad input is named, and leaves nothing', async (t) => {
  const directory = trace(t)
  const out = path.join(directory, 'out')
  const cases = /** @type {[string[], number, RegExp][]} */ ([
    [['otlp', directory], 2, /where to\? Give --endpoint URL or --out FILE/],
    [['otlp', directory, '--endpoint', 'nowhere'], 2, /"nowhere" is no address/],
    [['otlp', directory, '--out', out, '--sample', '2'], 2, /Allowed is a share from 0 to 1/],
    [['otlp', '/nowhere', '--out', out], 1, /\/nowhere does not exist/],
    [['otlp', directory, '--out', path.join(directory, '1-0.ewt')], 2, /would overwrite a trace/],
    [['otlp', directory, '--out', '/nowhere/out'], 1, /cannot write the spans to \/nowhere\/out/],
    [['perfetto', directory], 2, /--out <FILE>/],
    [['perfetto', directory, '--out', path.join(directory, '1-0.ewt')], 2, /would overwrite a trace/],
    [['perfetto', '/nowhere', '--out', out], 1, /\/nowhere does not exist/]
  ])
  for (const [args, expected, message] of cases) {
    const { code, stderr } = await edgewise(args)
    assert.equal(code, expected, `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
  assert.deepEqual(fs.readdirSync(directory), ['1-0.ewt'])
})

test('a disk that is full: one line, and nothing half-written', { skip: !fs.existsSync('/dev/full') }, async (t) => {
  for (const kind of ['otlp', 'perfetto']) {
    const { code, stderr } = await edgewise([kind, trace(t), '--out', '/dev/full'])
    assert.equal(code, 1)
    assert.match(stderr, /^edgewise: .*(No space left|ENOSPC)/)
  }
})
