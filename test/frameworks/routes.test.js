'use strict'

// Requests go by the patterns of their frameworks' routes.

const { execFileSync } = require('node:child_process')
const test = require('node:test')
const { checkRoutes } = require('./asked')

const body = (/** @type {string} */ route, /** @type {string} */ name) => route.startsWith('POST') ? { name } : undefined

const HONO = {
  'GET /user/:name': ['/user/NAME?secret=1'],
  'POST /user/:name': ['/user/NAME'],
  'GET /files/*': ['/files/NAME', '/files/deep/NAME'],
  'GET /failing/:name': ['/failing/NAME'],
  'GET /guarded/:name': ['/guarded/NAME'],
  'GET /api/items/:item': ['/api/items/NAME']
}
const POLKA = {
  'GET /user/:name': ['/user/NAME?secret=1'],
  'POST /user/:name': ['/user/NAME'],
  'GET /files/*': ['/files/NAME', '/files/deep/NAME'],
  'GET /api/items/:item': ['/api/items/NAME']
}
const NEST = { 'GET /api/user/:name': ['/api/user/NAME'], 'GET /api/failing/:name': ['/api/failing/NAME'] }

for (const kind of ['express', 'express4']) {
  test(`mounted routers: ${kind}`, (t) => checkRoutes(t, {
    file: 'express.js',
    env: { KIND: kind },
    routes: {
      'GET /api/:tenant/items/:item': ['/api/NAME/items/NAME', '/api/api/items/NAME'],
      'GET /api/status/:part': ['/api/status/NAME'],
      'GET /old/api/items/:item': ['/old/api/items/NAME'],
      'GET /older/:age/api/items/:item': ['/older/NAME/api/items/NAME'],
      'GET /admin/:area/users/:user': ['/admin/NAME/users/NAME'],
      'GET /admin/:area/deep/:level/items/:item': ['/admin/NAME/deep/NAME/items/NAME'],
      'GET /late': ['/late'],
      'GET /plain/:name': ['/plain/NAME']
    }
  }))
}

test('Hapi', (t) => checkRoutes(t, {
  file: 'hapi.js',
  how: { body },
  routes: {
    'GET /user/{name}': ['/user/NAME?secret=1'],
    'POST /user/{name}': ['/user/NAME'],
    'GET /files/{path*}': ['/files/NAME', '/files/deep/NAME'],
    'GET /failing/{name}': ['/failing/NAME'],
    'GET /api/items/{item}': ['/api/items/NAME'],
    'GET /nowhere': ['/nowhere']
  }
}))

test('Hono', (t) => checkRoutes(t, { file: 'hono.js', how: { body }, routes: HONO }))

test('Hono, imported', { skip: 'registerHooks' in require('node:module') ? false : 'this Node does not tell of the ES modules that it loads' },
  (t) => checkRoutes(t, { file: 'hono-module.mjs', how: { body }, routes: HONO }))

for (const kind of ['polka', 'polka-next']) {
  test(kind, (t) => checkRoutes(t, { file: 'polka.js', env: { KIND: kind }, how: { body }, routes: POLKA }))
}

// It asks for bindings of Node's own, which warns, and which Node 24 has not.
const NO_RESTIFY = Number(process.versions.node.split('.')[0]) >= 24 && 'Restify 11 does not load in this Node: there is no binding http_parser'

test('Restify', { skip: NO_RESTIFY }, (t) => checkRoutes(t, {
  file: 'restify.js',
  flags: ['--no-deprecation'],
  routes: { 'GET /user/:name': ['/user/NAME?secret=1'], 'GET /later/:name': ['/later/NAME'] }
}))

const KOA = { 'GET /user/:name': ['/user/NAME?secret=1'], 'GET /api/:tenant/items/:item': ['/api/NAME/items/NAME'] }

test('Koa', (t) => checkRoutes(t, { file: 'koa.js', routes: KOA }))

test('Koa, bundled', (t) => checkRoutes(t, {
  file: 'koa-bundle.js',
  prepare: (directory) => execFileSync('node_modules/.bin/esbuild', [`${directory}/koa.js`, '--bundle', '--platform=node', `--outfile=${directory}/koa-bundle.js`, '--log-level=error'], { cwd: `${directory}/..` }),
  routes: KOA
}))

for (const kind of ['express', 'fastify']) {
  test(`NestJS on ${kind}`, (t) => checkRoutes(t, { file: 'nest.js', env: { KIND: kind }, routes: NEST }))
}
