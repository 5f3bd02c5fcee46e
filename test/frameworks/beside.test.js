'use strict'

// Beside others who observe the same process nothing changes, for them or for us.

const test = require('node:test')
const { checkRoutes } = require('./asked')

test('OpenTelemetry and a logger with an AsyncLocalStorage', (t) => checkRoutes(t, {
  file: 'observed.js',
  env: { OTEL_SEMCONV_STABILITY_OPT_IN: 'http' },
  routes: { 'GET /api/:tenant/items/:item': ['/api/acme/items/NAME', '/api/NAME/items/NAME'] }
}))
