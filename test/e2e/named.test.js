'use strict'

// Requests that are named by hand, and those that wait by design.

const assert = require('node:assert/strict')
const http2 = require('node:http2')
const net = require('node:net')
const test = require('node:test')
const edgewise = require('../../lib')
const { inParallel, report, request, startApp } = require('./recorded-app')

const KEYS = ['ann', 'bob17', '42', 'c-d']

/** @param {string} out @param {object} [options] */
const counts = (out, options) => report(out, options).routes.map((/** @type {any} */ { route, count }) => [route, count]).sort()

test('edgewise.route() names the request that the code works for, among others', async (t) => {
  const app = await startApp(t, 'named.js')
  await request(app.port, '/later/first') // From here on requests are followed.
  const paths = ['named', 'given', 'later'].flatMap((way) => KEYS.map((key) => `/${way}/${key}`))
  await inParallel(paths.length, async (number) => assert.equal((await request(app.port, paths[number])).body, paths[number]))
  await app.stop()
  assert.equal(app.stderr, '')
  assert.deepEqual(counts(app.out), [['GET /given/:key', 4], ['GET /later/:key', 4], ['GET /later/first', 1], ['GET /named/:key', 4]])
})

test('edgewise.route() refuses what is no name or no request', () => {
  assert.throws(() => edgewise.route(''), /name is ""; a non-empty string is allowed/)
  assert.throws(() => edgewise.route('/a', /** @type {any} */ (7)), /request is a number; a request of Node's http server is allowed/)
  assert.equal(edgewise.route('/a'), undefined, 'nothing is recorded')
})

test('event streams are left out unless they are asked for', async (t) => {
  const app = await startApp(t, 'named.js')
  await inParallel(4, () => request(app.port, '/events'))
  await inParallel(4, () => request(app.port, '/chunked'))
  const old = net.connect(app.port, '127.0.0.1')
  old.write('GET /events HTTP/1.0\r\n\r\n')
  await new Promise((resolve) => old.resume().on('close', resolve))
  await app.stop()
  assert.deepEqual(counts(app.out), [['GET /chunked', 4]])
  assert.equal(report(app.out).requests.streams, 5)
  assert.equal(report(app.out, { eventStreams: true }).requests.streams, 0)
  assert.deepEqual(counts(app.out, { eventStreams: true }), [['GET /chunked', 4], ['GET /events (event stream)', 5]])
  assert.deepEqual(counts(app.out, { route: 'GET /events (event stream)' }), [['GET /events (event stream)', 5]])
})

test('the same over HTTP/2', async (t) => {
  const app = await startApp(t, 'named.js', { env: { KIND: 'http2' } })
  const session = http2.connect(`http://127.0.0.1:${app.port}`)
  for (const path of ['/events', '/given/ann']) await new Promise((resolve, reject) => session.request({ ':path': path }).on('error', reject).on('close', resolve).resume())
  session.destroy()
  await app.stop()
  assert.deepEqual(counts(app.out, { eventStreams: true }), [['GET /events (event stream)', 1], ['GET /given/:key', 1]])
})
