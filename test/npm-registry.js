'use strict'

// A registry of npm packages on this machine: it has archives that lie here, and
// asks elsewhere for what it does not have.

const { execFileSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')

/** Where files are, below the address. */
const FILES = '/-/file/'
/** Yarn and pnpm wait for a day before they take what is new. */
const PUBLISHED = '2026-01-01T00:00:00.000Z'

/** @typedef {{ manifest: Record<string, any>, file: string }} Package file: its archive */
/** @typedef {(request: http.IncomingMessage, response: http.ServerResponse, address: string) => Promise<unknown>} Otherwise */

/** @param {string} file an archive that npm has packed @returns {Package} */
function packed (file) {
  return { manifest: JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' })), file }
}

/**
 * @param {Package[]} packages several versions of one, too
 * @param {Otherwise} [otherwise] answers for all others; without it they are not there
 * @returns {Promise<{ url: string, close: () => void }>}
 */
async function serveRegistry (packages, otherwise = async (_request, response) => notFound(response)) {
  const answer = async (/** @type {http.IncomingMessage} */ request, /** @type {http.ServerResponse} */ response) => {
    if (request.method !== 'GET') return notFound(response)
    const asked = decodeURIComponent(String(request.url))
    const file = packages.find(({ manifest }) => asked === FILES + fileName(manifest))?.file
    if (file) return response.end(fs.readFileSync(file))
    const versions = packages.filter(({ manifest }) => asked === `/${manifest.name}`)
    if (versions.length > 0) return response.end(JSON.stringify(describe(versions, url)))
    await otherwise(request, response, url)
  }
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(502).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, close }
}

/** @param {http.ServerResponse} response */
const notFound = (response) => response.writeHead(404).end('{}')

/** @param {Record<string, any>} manifest */
const fileName = ({ name, version }) => `${name}/${version}.tgz`

/** @param {Package[]} versions of one package @param {string} url of the registry @returns what npm asks for by a package's name */
function describe (versions, url) {
  const described = versions.map(({ manifest, file }) => [manifest.version, { ...manifest, dist: distribution(manifest, file, url) }])
  const [{ manifest: { name, version } }] = versions
  const time = Object.fromEntries(versions.map(({ manifest }) => [manifest.version, PUBLISHED]))
  return { name, time, 'dist-tags': { latest: version }, versions: Object.fromEntries(described) }
}

function distribution (manifest, file, url) {
  const content = fs.readFileSync(file)
  return {
    tarball: url + FILES + fileName(manifest),
    shasum: createHash('sha1').update(content).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`
  }
}

module.exports = { FILES, packed, serveRegistry }
