'use strict'

// A registry of npm packages on this machine: edgewise as it is packed, what is
// compiled for this platform, and the packages that it depends on, as they lie in
// node_modules. So `npm install edgewise` is run as a user types it, without a network.

const { execFileSync } = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { ADDON, BOOSTD, LOAD, REPORTER } = require('../../lib/native/native-files')
const { packAll } = require('../../scripts/tasks/prebuilds/packages')
const { ROOT } = require('./markdown')

/** @typedef {{ manifest: Record<string, any>, archive: Buffer }} Package */

/**
 * @param {string} scratch a directory
 * @returns {Promise<{ url: string, close: () => void }>}
 */
async function serveRegistry (scratch) {
  const packages = [...await ownPackages(scratch), ...dependencies(scratch)]
  const server = http.createServer((request, response) => {
    const asked = decodeURIComponent(String(request.url)).slice(1)
    const archive = packages.find(({ manifest }) => asked === archiveName(manifest))?.archive
    const answer = archive ?? packument(packages.filter(({ manifest }) => manifest.name === asked), `http://${request.headers.host}`)
    response.writeHead(answer ? 200 : 404)
    response.end(answer ?? '{}')
  })
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

/** @param {Record<string, any>} manifest */
const archiveName = ({ name, version }) => `-/${name}/${version}.tgz`

/** @param {Package[]} versions of one package @param {string} url */
function packument (versions, url) {
  if (versions.length === 0) return undefined
  const described = versions.map(({ manifest, archive }) => [manifest.version, {
    ...manifest,
    dist: { tarball: `${url}/${archiveName(manifest)}`, integrity: `sha512-${crypto.createHash('sha512').update(archive).digest('base64')}` }
  }])
  const [{ manifest }] = versions
  return JSON.stringify({ name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: Object.fromEntries(described) })
}

/** @param {string} scratch @returns {Promise<Package[]>} */
async function ownPackages (scratch) {
  const files = [[ADDON, `node-v${process.versions.modules}/${path.basename(ADDON)}`], ...[REPORTER, BOOSTD, LOAD].map((file) => [file, path.basename(file)])]
  const platform = { name: `${process.platform}-${process.arch}`, cpu: process.arch, libc: 'glibc', nodes: [process.versions.node.split('.')[0]], files: files.map(([file, as]) => ({ file, as })) }
  return (await packAll([platform], scratch)).map((archive) => ({
    manifest: JSON.parse(execFileSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' })),
    archive: fs.readFileSync(archive)
  }))
}

/** @param {string} scratch @returns {Package[]} what the lockfile says a user gets */
function dependencies (scratch) {
  const locked = Object.entries(JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')).packages)
  const used = locked.filter(([place, { dev, optional }]) => place !== '' && !dev && !optional)
  return used.map(([place], index) => {
    const archive = path.join(scratch, `dependency-${index}.tgz`)
    execFileSync('tar', ['-czf', archive, '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', path.join(ROOT, place), '.'])
    return { manifest: JSON.parse(fs.readFileSync(path.join(ROOT, place, 'package.json'), 'utf8')), archive: fs.readFileSync(archive) }
  })
}

module.exports = { serveRegistry }
