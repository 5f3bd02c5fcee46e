'use strict'

// One service of several: works for WORK_MS, asks the services at NEXT_PORTS
// one after the other, or with TOGETHER all at once, works for WORK_MS again,
// and answers. TLS=1: is a server of https; NEXT_TLS=1: so are the others.

const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const path = require('node:path')
const { serving } = require('./serving')

const { env } = process
const WORK_MS = Number(env.WORK_MS ?? 1)
const WAIT_MS = Number(env.WAIT_MS ?? 0)
const PORTS = (env.NEXT_PORTS ?? '').split(',').filter(Boolean).map(Number)
const client = env.NEXT_TLS ? https : http
const agent = new client.Agent({ keepAlive: true, maxSockets: Number(env.SOCKETS ?? 8), rejectUnauthorized: false })
const body = 'x'.repeat(Number(env.BODY ?? 0))

function work () {
  const until = performance.now() + WORK_MS
  while (performance.now() < until);
}

/** @param {number} port @param {string} url */
async function ask (port, url) {
  if (env.FETCH) return (await fetch(`http://127.0.0.1:${port}${url}`)).text()
  return new Promise((resolve, reject) => {
    const sent = client.request({ host: '127.0.0.1', port, path: url, agent, method: body ? 'POST' : 'GET' }, (response) => {
      response.resume().on('end', resolve).on('error', reject)
    })
    sent.on('error', reject).end(body)
  })
}

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
async function answer (request, response) {
  try {
    work()
    if (WAIT_MS > 0) await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    const url = /** @type {string} */ (request.url)
    if (env.TOGETHER) await Promise.all(PORTS.map((port) => ask(port, url)))
    else for (const port of PORTS) await ask(port, url)
    if (PORTS.length > 0) work()
  } catch {
    response.statusCode = 502
  }
  response.end('x'.repeat(Number(env.ANSWER ?? 4)))
}

const file = (/** @type {string} */ name) => fs.readFileSync(path.join(__dirname, 'tls', name))
const server = env.TLS ? https.createServer({ key: file('key.pem'), cert: file('certificate.pem') }, answer) : http.createServer(answer)
serving(server.listen(0, '127.0.0.1'), () => agent.destroy())
