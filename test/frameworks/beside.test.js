'use strict'

// Beside others who observe the same process nothing changes, for them or for us.

const assert = require('node:assert/strict')
const { createRequire } = require('node:module')
const path = require('node:path')
const test = require('node:test')
const { NAMES, checkRoutes } = require('./asked')
const { appsDirectory } = require('./packages')
const { startCollector } = require('./trace-collector')

test('OpenTelemetry and a logger with an AsyncLocalStorage', (t) => checkRoutes(t, {
  file: 'observed.js',
  env: { OTEL_SEMCONV_STABILITY_OPT_IN: 'http' },
  routes: { 'GET /api/:tenant/items/:item': ['/api/acme/items/NAME', '/api/NAME/items/NAME'] }
}))

const ITEM = 'GET /api/:tenant/items/:item'
const ASKING = 'GET /asking/:name'
const OWN = 'GET /own/:name' // Asked by ASKING.
const FAILING = 'GET /failing/:name'
// Each request, of the application that is recorded and of the one that is not.
const SEEN = [[FAILING, 2], [ASKING, 2], [OWN, 2], [ITEM, 4]].flatMap(([route, count]) => Array(Number(count) * NAMES.length).fill(route)).sort()

for (const kind of ['dd-trace', 'sentry']) {
  test(kind, async (t) => {
    const directory = await appsDirectory(t)
    if (directory === null) return
    const collector = await startCollector(t, createRequire(path.join(directory, 'traced.js')))
    const answers = (/** @type {string} */ kind) => checkRoutes(t, {
      file: 'traced.js',
      env: { KIND: kind, TRACES_PORT: String(collector.port) },
      routes: { [FAILING]: ['/failing/NAME'], [ASKING]: ['/asking/NAME'], [ITEM]: ['/api/acme/items/NAME', '/api/NAME/items/NAME'] },
      besides: [[OWN, NAMES.length]]
    })
    const alone = await answers('none')
    assert.deepEqual(collector.taken(), [])
    assert.deepEqual(await answers(kind), alone, 'what clients are answered with and without it')
    assert.deepEqual(collector.taken(), SEEN, 'what it has seen')
  })
}
