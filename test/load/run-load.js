'use strict'

// What the tests of edgewise-load share: a run of it, and a server to run it against.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')

const LOAD = process.env.EDGEWISE_LOAD ||
  path.join(__dirname, '../../build/benchmarks/load/edgewise-load')

/**
 * Runs edgewise-load to its end.
 * @param {string[]} args
 * @param {(child: import('node:child_process').ChildProcess) => void} [onStart]
 * @returns {Promise<{code: number, stdout: string, stderr: string, json: any}>}
 *   `json` is the summary, when there is one
 */
async function load (args, onStart) {
  const child = spawn(LOAD, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => { stdout += chunk })
  child.stderr.on('data', (chunk) => { stderr += chunk })
  if (onStart) onStart(child)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr, json: stdout.startsWith('{') ? JSON.parse(stdout) : undefined }
}

/**
 * Serves on a free loopback port while `body` runs.
 * @param {import('node:net').Server} server
 * @param {(url: string) => Promise<void>} body
 */
async function serving (server, body) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  try {
    await body(`http://127.0.0.1:${port}`)
  } finally {
    server.close()
    if (server instanceof http.Server) server.closeAllConnections()
  }
}

module.exports = { LOAD, load, serving }
