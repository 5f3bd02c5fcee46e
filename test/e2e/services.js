'use strict'

// Services that ask each other, what stands between them, and the report of all.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { freePort } = require('../../benchmarks/apps/service')
const { listens } = require('../listens')
const { edgewise, inParallel, request, startApp, temporaryDirectory } = require('./recorded-app')

const REQUESTS = 60

/**
 * @param {any} t
 * @param {Record<string, { next?: string[], env?: Record<string, string> }>} services those that are asked before those that ask
 */
async function started (t, services) {
  const apps = /** @type {Record<string, any>} */ ({})
  for (const [name, { next = [], env = {} }] of Object.entries(services)) {
    apps[name] = await startApp(t, 'chained.js', { env: { EDGEWISE_SERVICE: name, NEXT_PORTS: next.map((other) => apps[other].port).join(','), ...env } })
  }
  return apps
}

/** A path that no other request has, all of one length. @param {number} i */
const letters = (i) => String.fromCharCode(97 + Math.floor(i / 26), 97 + i % 26)

/**
 * @param {Record<string, any>} apps
 * @param {string} front
 * @param {number} [clients]
 * @param {(i: number) => string} [pathOf]
 * @returns {Promise<any>} the report across all; each request has an `x-request-id`
 */
async function across (apps, front, clients = 4, pathOf = (i) => i % 2 === 0 ? 'even' : 'odd') {
  await inParallel(REQUESTS, (i) => request(apps[front].port, `/${pathOf(i)}`, { headers: { 'x-request-id': `id-${i}` } }), clients)
  for (const app of Object.values(apps).reverse()) await app.stop()
  const { status, stdout, stderr } = await edgewise(['report', ...Object.values(apps).map(({ out }) => out), '--json', '--slowest', String(REQUESTS)])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const callsOf = (/** @type {any} */ found, /** @type {string} */ from, /** @type {string} */ to) =>
  found.calls.filter((/** @type {any} */ call) => call.from === from && call.to === to)
const countOf = (/** @type {any[]} */ calls) => calls.reduce((sum, { tail, rest }) => sum + tail.calls + rest.calls, 0)
const serviceOf = (/** @type {any} */ found, /** @type {string} */ name) => found.services.find((/** @type {any} */ each) => each.service === name)

/** What proxies are told, by program: where they listen, and who answers there. */
const PROXIES = {
  nginx: (/** @type {string} */ directory, /** @type {number} */ port, /** @type {number} */ to) => ({
    config: `daemon off;\nmaster_process off;\npid ${directory}/pid;\nerror_log ${directory}/log;\nevents {}\nhttp {
      access_log off;\nclient_body_temp_path ${directory};\nproxy_temp_path ${directory};\nfastcgi_temp_path ${directory};\nuwsgi_temp_path ${directory};\nscgi_temp_path ${directory};
      upstream back { server 127.0.0.1:${to}; keepalive 8; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection ""; } }\n}\n`,
    args: ['-e', path.join(directory, 'log'), '-c']
  }),
  haproxy: (/** @type {string} */ directory, /** @type {number} */ port, /** @type {number} */ to) => ({
    config: `defaults\n mode http\n timeout connect 5s\n timeout client 30s\n timeout server 30s\nlisten front\n bind 127.0.0.1:${port}\n server back 127.0.0.1:${to}\n`,
    args: ['-db', '-f']
  }),
  // Passes bytes on.
  'haproxy of TCP': (/** @type {string} */ directory, /** @type {number} */ port, /** @type {number} */ to) => {
    const { config, args } = PROXIES.haproxy(directory, port, to)
    return { config: config.replace('mode http', 'mode tcp'), args }
  }
}

/** @param {any} t @param {'nginx' | 'haproxy' | 'haproxy of TCP'} program @param {number} to @returns {Promise<number>} the port of the proxy */
async function startProxy (t, program, to) {
  const directory = temporaryDirectory(t)
  const port = await freePort()
  const { config, args } = PROXIES[program](directory, port, to)
  const file = path.join(directory, 'config')
  fs.writeFileSync(file, config)
  const child = spawn(program.split(' ')[0], [...args, file], { stdio: 'ignore', env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` } })
  t.after(() => child.kill())
  while (child.exitCode === null && !await listens(port)) await sleep(20)
  assert.equal(child.exitCode, null, `${program} does not run`)
  return port
}

module.exports = { REQUESTS, across, callsOf, countOf, letters, serviceOf, startProxy, started }
