'use strict'

// The route of a request is its framework's, whoever answers it.

const assert = require('node:assert/strict')
const http2 = require('node:http2')
const test = require('node:test')
const { inParallel, report, request, startApp } = require('./recorded-app')

const NAMES = ['ann', 'bob', 'cyd', 'dan']

const FASTIFY = {
  'GET /people/:name': [['/people/'], ['/people/', 'nobody']],
  'HEAD /people/:name': [['/people/', '', 'HEAD']],
  'GET /shoes/:size': [['/shoes/']], // No size: the schema refuses it.
  'GET /kept/:name': [['/kept/']],
  'GET /taken/:name': [['/taken/']],
  'GET /failing/:name': [['/failing/']],
  'GET /api/:item': [['/api/'], ['/api/', 'late'], ['/api/', 'nobody']],
  'GET /api/deep/:key': [['/api/deep/'], ['/api/deep/', 'late']],
  'GET /plain/:name': [['/plain/']]
}
const KOA = {
  'GET /people/:name': [['/people/']],
  'GET /api/:tenant/items/:item': [['/api/acme/items/']]
}

for (const [kind, routes] of Object.entries({ 'fastify http': FASTIFY, 'fastify http2': FASTIFY, 'koa http': KOA, 'koa http2': KOA })) {
  test(kind, async (t) => {
    const app = await startApp(t, 'routed.js', { env: { KIND: kind } })
    const session = kind.endsWith('http2') ? http2.connect(`http://127.0.0.1:${app.port}`) : null
    const ask = session ? streams(session) : (path, method, who) => request(app.port, path, { method, headers: { 'x-who': who } })
    const asked = Object.values(routes).flat().flatMap(([path, who = '', method = 'GET']) => NAMES.map((name) => [path + name, method, who]))
    await inParallel(asked.length, (number) => ask(...asked[number]))
    session?.destroy()
    await app.stop()
    assert.equal(app.stderr, '')
    const expected = Object.entries(routes).map(([route, ways]) => [route, ways.length * NAMES.length])
    assert.deepEqual(report(app.out).routes.map(({ route, count }) => [route, count]).sort(), expected.sort())
  })
}

test("a request that no route of Fastify's matches has its path", async (t) => {
  const app = await startApp(t, 'routed.js', { env: { KIND: 'fastify http' } })
  assert.equal((await request(app.port, '/nowhere')).status, 404)
  assert.equal((await request(app.port, '/people/ann')).body, '/people/:name Request', 'as Fastify makes its requests')
  await app.stop()
  assert.deepEqual(report(app.out).routes.map(({ route }) => route).sort(), ['GET /nowhere', 'GET /people/:name'])
})

/** @returns {(path: string, method: string, who: string) => Promise<void>} */
function streams (session) {
  return (path, method, who) => new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ':method': method, 'x-who': who })
    stream.on('error', reject).on('close', resolve).resume().end()
  })
}
