'use strict'

// An npm registry that has what is packed here, and everything else from the
// one that this machine uses.

const { execFileSync } = require('node:child_process')
const { packedArchives } = require('../../scripts/tasks/prebuilds/packages')
const { FILES, packed, serveRegistry } = require('../npm-registry')

const OF_ANY_HOST = /("tarball": *")https?:\/\/[^/]+\//g

/** @param {{ after: (fn: () => any) => void }} t @returns {Promise<string>} its address */
async function startRegistry (t) {
  const { url, close } = await serveRegistry(packedArchives().map(packed), fromUpstream())
  t.after(close)
  return url
}

/** @returns {import('../npm-registry').Otherwise} */
function fromUpstream () {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: '/' }).trim().replace(/\/$/, '')
  return async (request, response, address) => {
    const asked = decodeURIComponent(String(request.url))
    if (asked.startsWith('/@edgewise/')) return response.writeHead(404).end('{}')
    const ofFile = asked.startsWith(FILES)
    const theirs = await fetch(upstream + (ofFile ? `/${asked.slice(FILES.length)}` : request.url), { headers: { accept: request.headers.accept ?? '*/*' } })
    if (!theirs.ok) return response.writeHead(theirs.status).end('{}')
    const body = Buffer.from(await theirs.arrayBuffer())
    // npm asks the registry that it knows for files of another one, too.
    if (ofFile || asked.endsWith('.tgz')) return response.end(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body.toString().replaceAll(OF_ANY_HOST, `$1${address}${FILES}`))
  }
}

module.exports = { startRegistry }
