'use strict'

// Requests of Next.js go by the patterns of its pages and routes, whatever
// server it runs in.

const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { checkRoutes } = require('./asked')
const { actionOf, builtNext } = require('./next-built')

const ROUTES = {
  // app/
  'GET /': ['/'],
  'GET /team/[name]': ['/team/NAME?secret=1'], // One of them finds nothing.
  'GET /shop/[...parts]': ['/shop/NAME', '/shop/deep/NAME', '/moved/NAME'],
  'GET /frozen/[part]': ['/frozen/NAME'],
  'GET /broken/[name]': ['/broken/NAME'],
  'GET /items/[id]': ['/items/NAME'],
  'POST /items/[id]': ['/items/NAME'],
  'POST /form': ['/form'],
  // pages/
  'GET /blog/[slug]': ['/blog/NAME', '/old/NAME'], // One of them finds nothing.
  'GET /failing/[name]': ['/failing/NAME'],
  'GET /api/users/[id]': ['/api/users/NAME?secret=1'],
  'POST /api/users/[id]': ['/api/users/NAME'],
  // None of either
  'GET /_next/static/*': ['/_next/static/chunks/NAME.js', '/_next/static/CHUNK'],
  'GET /_not-found': ['/nowhere/NAME'],
  'GET /plain.txt': ['/plain.txt'],
  'GET /denied': ['/denied']
}

const body = (/** @type {string} */ route, /** @type {string} */ name) => route.startsWith('POST') ? [{ name }] : undefined

/** @param {import('node:test').TestContext} t @param {string} kind @param {Record<string, string[]>} [routes] */
async function checkNext (t, kind, routes = ROUTES) {
  const env = /** @type {Record<string, string>} */ ({ KIND: kind })
  const how = { body, headers: /** @type {Record<string, string>} */ ({}) }
  const all = { ...routes }
  await checkRoutes(t, {
    file: 'next.js',
    packages: 'packages-next',
    async prepare (directory) {
      const built = env.DIRECTORY = await builtNext(path.dirname(directory))
      how.headers['next-action'] = actionOf(built) // Of what is posted to a page.
      const [chunk] = fs.readdirSync(path.join(built, '.next/static/chunks'))
      all['GET /_next/static/*'] = all['GET /_next/static/*'].map((each) => each.replace('CHUNK', `chunks/${chunk}`))
    },
    env,
    how,
    routes: all
  })
}

test('a server of one\'s own', (t) => checkNext(t, 'custom'))

test('a part of an application of Express', (t) => {
  const { 'GET /plain.txt': file, 'GET /denied': denied, ...routes } = ROUTES
  return checkNext(t, 'express', { ...routes, 'GET /{*rest}': [...file, ...denied], 'GET /plain/:name': ['/plain/NAME'] })
})

test('next start', (t) => checkNext(t, 'start'))

test('the standalone server', (t) => checkNext(t, 'standalone'))
