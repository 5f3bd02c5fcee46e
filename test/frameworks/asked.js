'use strict'

// Sends the same requests to an application that is recorded and to one that is
// not: the answers are the same, and each request is recorded under its route.

const assert = require('node:assert/strict')
const http = require('node:http')
const { createRequire } = require('node:module')
const path = require('node:path')
const { inParallel, report, startServer } = require('../e2e/recorded-app')
const { appsDirectory } = require('./packages')

/** Of each path, whose last part these are put in the place of. */
const NAMES = ['ann', 'bob17', 'c-d', '42']

/**
 * @typedef {object} Asked
 * @property {string} file in apps/
 * @property {Record<string, string>} [env]
 * @property {Record<string, string[]>} routes each route, and the paths of its requests; NAME in a path is one of several names
 * @property {[string, number][]} [besides] requests that these bring about
 * @property {{ body?: (route: string, name: string) => any, headers?: Record<string, string> }} [how] requests are sent
 * @property {string[]} [flags] of node
 * @property {(directory: string) => any} [prepare] the file there; may take its time
 * @property {string} [packages] what it is installed with, as for appsDirectory()
 */

/**
 * @param {import('node:test').TestContext} t
 * @param {Asked} asked
 * @returns {Promise<any[] | null>} the answers, if they could be asked for
 */
async function checkRoutes (t, { file, env, routes, besides = [], how = {}, flags, prepare, packages }) {
  const directory = await appsDirectory(t, packages)
  if (directory === null) return null
  await prepare?.(directory)
  const requests = Object.entries(routes).flatMap(([route, paths]) =>
    paths.flatMap((each) => NAMES.map((name) => ({ route, name, method: route.split(' ')[0], path: each.replaceAll('NAME', name) }))))
  const answers = async (/** @type {any} */ app) => {
    /** @type {any[]} */
    const all = []
    await inParallel(requests.length, async (number) => { all[number] = await send(app.port, requests[number], how) })
    await app.stop()
    return all
  }
  const program = path.join(directory, file)
  const plain = await answers(await startServer(t, program, { env, flags, register: null }))
  const app = await startServer(t, program, { env, flags })
  assert.deepEqual(await answers(app), plain, 'what clients are answered')
  assert.equal(app.stderr, '')
  const expected = Object.entries(routes).map(([route, paths]) => [route, paths.length * NAMES.length])
  assert.deepEqual(countsOf(app.out), [...expected, ...besides].sort())
  return plain
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} file
 * @param {(app: any, packages: NodeJS.Require) => Promise<any>} use
 * @param {(packages: NodeJS.Require) => Promise<NodeJS.ProcessEnv>} [prepare] gives its environment
 * @returns {Promise<any>} the application, recorded and ended, if it could be run
 */
async function used (t, file, use, prepare = async () => ({})) {
  const directory = await appsDirectory(t)
  if (directory === null) return null
  const packages = createRequire(path.join(directory, file))
  const env = await prepare(packages)
  const plain = await startServer(t, path.join(directory, file), { env, register: null })
  const wanted = await use(plain, packages)
  await plain.stop()
  const app = await startServer(t, path.join(directory, file), { env })
  assert.deepEqual(await use(app, packages), wanted, 'what clients are answered')
  await app.stop()
  assert.equal(app.stderr, '')
  return app
}

/** @returns {Promise<{ status?: number, type?: string, body: string }>} by a connection of its own, which no server closes meanwhile */
function send (/** @type {number} */ port, { route, name, method, path: url }, { body, headers }) {
  const content = body?.(route, name)
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port, method, path: url, agent: false, headers: { ...content && { 'content-type': 'application/json' }, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (data) => { text += data }).on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, type: response.headers['content-type'], body: text }))
    })
    sent.on('error', reject).end(content && JSON.stringify(content))
  })
}

/** @param {string} out @returns {[string, number][]} the routes of a recording, and how many requests each has */
function countsOf (out) {
  return report(out).routes.map((/** @type {any} */ { route, count }) => [route, count]).sort()
}

module.exports = { NAMES, checkRoutes, countsOf, used }
