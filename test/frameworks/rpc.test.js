'use strict'

// Remote calls go by their procedures, which their paths name.

const assert = require('node:assert/strict')
const test = require('node:test')
const { NAMES, checkRoutes, countsOf, used } = require('./asked')

const ROUTES = {
  'GET /trpc/user.byName': ['/trpc/user.byName?input=%22NAME%22'],
  'GET /trpc/user.byName,failing': ['/trpc/user.byName,failing?batch=1&input=%7B%220%22:%22NAME%22%7D'],
  'GET /trpc/failing': ['/trpc/failing'],
  'POST /trpc/user.rename': ['/trpc/user.rename']
}
const TRPC = {
  standalone: ROUTES,
  express: ROUTES,
  fastify: { // By the pattern of its plugin.
    'GET /trpc/:path': Object.entries(ROUTES).flatMap(([route, paths]) => route.startsWith('GET') ? paths : []),
    'POST /trpc/:path': ROUTES['POST /trpc/user.rename']
  }
}
for (const [kind, routes] of Object.entries(TRPC)) {
  test(`tRPC: ${kind}`, (t) => checkRoutes(t, {
    file: 'trpc.js',
    env: { KIND: kind },
    how: { body: (route, name) => route.startsWith('POST') ? name : undefined },
    routes
  }))
}

/** @param {any} client @param {string} name @returns {Promise<any[]>} what a call of each kind is answered */
function callAll (client, name) {
  const answer = (/** @type {(done: (error: any, value: any) => void) => void} */ call) =>
    new Promise((resolve) => call((error, value) => resolve(error ? [error.code, error.details] : value)))
  const summed = answer((done) => {
    const call = client.sum(done)
    for (const each of ['a', 'b', name]) call.write(each)
    call.end()
  })
  const talk = client.talk()
  talk.write('how')
  talk.end(name)
  return Promise.all([
    answer((done) => client.get(name, done)),
    answer((done) => client.fail(name, done)),
    client.list(name).toArray(),
    summed,
    talk.toArray()
  ])
}

test('gRPC', async (t) => {
  const app = await used(t, 'grpc.js', async ({ port }, packages) => {
    const { credentials, makeGenericClientConstructor } = packages('@grpc/grpc-js')
    const Client = makeGenericClientConstructor(packages('./grpc-service').service, 'Orders')
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
    const answers = await Promise.all(NAMES.map((name) => callAll(client, name)))
    client.close()
    assert.deepEqual(answers[0], ['order of ann', [5, 'no ann'], ['first of ann', 'second of ann'], 'a+b+ann', ['how?', 'ann?']])
    return answers
  })
  if (app) assert.deepEqual(countsOf(app.out), ['Fail', 'Get', 'List', 'Sum', 'Talk'].map((method) => [`POST /shop.Orders/${method}`, NAMES.length]))
})
