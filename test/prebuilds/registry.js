'use strict'

// An npm registry that has what is packed here, and everything else from the
// one that this machine uses.

const { createHash } = require('node:crypto')
const { execFileSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { packedArchives } = require('../../scripts/tasks/prebuilds/packages')

const FILES = '/-/file/'

/** @param {{ after: (fn: () => any) => void }} t @returns {Promise<string>} its address */
async function startRegistry (t) {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: '/' }).trim().replace(/\/$/, '')
  const own = new Map(packedArchives().map((file) => {
    const manifest = JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }))
    return [manifest.name, { file, manifest }]
  }))
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(502).end(String(error)))
  })
  const answer = async (/** @type {http.IncomingMessage} */ request, /** @type {http.ServerResponse} */ response) => {
    const url = decodeURIComponent(request.url ?? '')
    if (request.method !== 'GET') return response.writeHead(404).end()
    if (url.startsWith(FILES)) return sendFile(url.slice(FILES.length), response)
    const packed = own.get(url.slice(1))
    if (packed) return response.end(JSON.stringify(describe(packed, address)))
    if (url.startsWith('/@edgewise/')) return response.writeHead(404).end('{}')
    const theirs = await fetch(upstream + request.url, { headers: { accept: request.headers.accept ?? '*/*' } })
    if (!theirs.ok) return response.writeHead(theirs.status).end('{}')
    const body = Buffer.from(await theirs.arrayBuffer())
    // npm asks the registry that it knows for files of another one, too.
    if (url.endsWith('.tgz')) return response.end(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body.toString().replaceAll(/("tarball": *")https?:\/\/[^/]+\//g, `$1${address}${FILES}`))
  }
  const sendFile = async (/** @type {string} */ name, /** @type {http.ServerResponse} */ response) => {
    const packed = [...own.values()].find(({ file }) => path.basename(file) === name)
    if (packed) return response.end(fs.readFileSync(packed.file))
    const theirs = await fetch(`${upstream}/${name}`)
    response.writeHead(theirs.status).end(Buffer.from(await theirs.arrayBuffer()))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  return address
}

/** @param {{ file: string, manifest: any }} packed @param {string} address */
function describe ({ file, manifest }, address) {
  const content = fs.readFileSync(file)
  const dist = {
    tarball: `${address}${FILES}${path.basename(file)}`,
    shasum: createHash('sha1').update(content).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`
  }
  // Yarn and pnpm wait for a day before they take what is new.
  const time = { [manifest.version]: '2026-01-01T00:00:00.000Z' }
  return { name: manifest.name, time, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: { ...manifest, dist } } }
}

module.exports = { startRegistry }
