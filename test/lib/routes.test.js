'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { next } = require('../../lib/instrument/frameworks/next')
const { leaveRoute } = require('../../lib/instrument/servers/open-requests')
const { RouteTable } = require('../../lib/instrument/servers/routes')

/** @returns {{ table: RouteTable, texts: string[], textOf: (request: any) => string }} */
function newTable () {
  /** @type {string[]} */
  const texts = []
  const table = new RouteTable((text) => texts.push(text))
  return { table, texts, textOf: (request) => texts[table.numberOf(request) - 1] }
}

test('a router that is mounted twice has two routes, for each method', () => {
  const { textOf, texts } = newTable()
  const route = { path: '/:id' }
  for (let time = 0; time < 2; time++) {
    assert.equal(textOf({ method: 'GET', baseUrl: '/a', route }), 'GET /a/:id')
    assert.equal(textOf({ method: 'GET', baseUrl: '/b', route }), 'GET /b/:id')
    assert.equal(textOf({ method: 'PUT', baseUrl: '/b', route }), 'PUT /b/:id')
  }
  assert.equal(texts.length, 3)
})

test('a router that is mounted at a parameter is one route, whatever the parameter is', () => {
  const { textOf, texts } = newTable()
  const route = { path: '/posts/:post' }
  for (const id of ['42', '43', '3f2a90b1c4d5e6f7a8b9']) {
    assert.equal(textOf({ method: 'GET', baseUrl: `/users/${id}`, route }), 'GET /users/:id/posts/:post')
  }
  assert.equal(texts.length, 1)
})

test('a table does not take the numbers of another, of an earlier recording', () => {
  const route = { path: '/' }
  const first = newTable()
  first.textOf({ method: 'GET', route: { path: '/other' } })
  assert.equal(first.textOf({ method: 'GET', route }), 'GET /')
  assert.equal(newTable().textOf({ method: 'GET', route }), 'GET /')
})

test('after a request of Express one of another server still has its path', () => {
  const { textOf } = newTable()
  assert.equal(textOf({ method: 'GET', baseUrl: '/a', route: { path: '/:id' } }), 'GET /a/:id')
  assert.equal(textOf({ method: 'GET', url: '/b?q=1' }), 'GET /b')
  assert.equal(textOf({ method: 'PUT', baseUrl: '/a', route: { path: '/:id' } }), 'PUT /a/:id')
})

test('a route is left as it is, also a frozen one and a proxy', () => {
  const { textOf, texts } = newTable()
  const seen = /** @type {PropertyKey[]} */ ([])
  const proxy = new Proxy({ path: '/seen' }, { get: (target, key) => { seen.push(key); return Reflect.get(target, key) } })
  for (const route of [Object.freeze({ path: '/frozen' }), { path: '/plain' }, proxy]) {
    const keys = Reflect.ownKeys(route)
    for (let time = 0; time < 2; time++) assert.equal(textOf({ method: 'GET', route }), `GET ${route.path}`)
    assert.deepEqual(Reflect.ownKeys(route), keys)
  }
  assert.deepEqual(new Set(seen), new Set(['path']))
  assert.equal(texts.length, 3)
})

test('what a framework left comes before the path; a function may not know yet', () => {
  const { textOf } = newTable()
  const request = { method: 'GET', url: '/users/7?secret=1' }
  const left = (/** @type {any} */ route) => {
    const one = { ...request }
    leaveRoute(one, route)
    assert.deepEqual(Reflect.ownKeys(one), Reflect.ownKeys(request))
    return textOf(one)
  }
  assert.equal(left({ path: '/users/:id' }), 'GET /users/:id')
  assert.equal(left('/users/:name'), 'GET /users/:name')
  assert.equal(left(() => '/users/(.*)'), 'GET /users/(.*)')
  assert.equal(left(() => undefined), 'GET /users/:id', 'folded, without the query')
})

test('what clients choose takes no more than so much memory: methods, and long paths', () => {
  const { table, texts, textOf } = newTable()
  for (let i = 0; i < 1000; i++) textOf({ method: `M${i}`, url: '/' })
  assert.ok(texts.length <= 60, `${texts.length} routes`)
  assert.equal(textOf({ method: 'LATE', url: '/' }), '(other) /')
  assert.equal(textOf({ method: 'M0', url: '/' }), 'M0 /')
  assert.ok(table.paths.size <= 60 && table.patterns.size <= 60)
  for (let i = 0; i < 100; i++) textOf({ method: 'M0', url: `/${i}?${'x'.repeat(10_000)}` })
  assert.equal(table.paths.get('M0')?.size, 1)
})

test('what an application has put in the place of a URL or a route', () => {
  const { textOf } = newTable()
  const parsed = new URL('http://localhost/users/7?secret=1')
  assert.equal(textOf({ method: 'GET', url: parsed }), 'GET /users/:id')
  assert.equal(textOf({ method: 'GET', originalUrl: { pathname: null }, url: '/' }), '(unreadable)')
  assert.equal(textOf({ method: 'GET', url: 42 }), '(unreadable)')
  assert.equal(textOf({ method: 'GET', baseUrl: parsed, route: { path: '/' } }), '(unreadable)')
  assert.equal(textOf({ method: 'GET', route: { path: Symbol('path') } }), '(unreadable)')
  assert.equal(textOf({ get route () { throw new Error('of the application') } }), '(unreadable)')
  assert.equal(textOf(null), '(unreadable)')
})

test('what Next keeps of a request, as far as it is known', () => {
  const key = Symbol('of this version')
  assert.throws(() => next.meet({}), /there is no symbol NEXT_REQUEST_META/)
  const { textOf } = newTable()
  const asked = (/** @type {any} */ known, url = '/blog/ann') => textOf({ method: 'GET', url, [key]: known })
  const match = { definition: { pathname: '/_error' } }
  assert.equal(asked({ match }), 'GET /blog/ann', 'Next has not been loaded')
  next.meet({ NEXT_REQUEST_META: key })
  assert.equal(asked({ match }), 'GET /_error')
  assert.equal(asked({ match, invokeOutput: '/blog/[slug]' }), 'GET /blog/[slug]')
  assert.equal(asked({ match, invokeOutput: '' }), 'GET /_error', 'the proxy has run')
  assert.equal(asked({}, '/docs/_next/static/chunks/1a2b.js?v=1'), 'GET /docs/_next/static/*')
  for (const unknown of [undefined, null, 1, 'x', {}, { match: null }, { match: { definition: {} } }, { invokeOutput: 7 }]) {
    assert.equal(asked(unknown), 'GET /blog/ann', 'by its path')
  }
})
