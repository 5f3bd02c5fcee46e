'use strict'

// An application in a directory of its own, and whether it can be profiled there.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { packedArchives } = require('../../scripts/tasks/prebuilds/packages')

const SECONDS = 4
const RATE = 50
const APP = `
const http = require('node:http')
http.createServer((request, response) => setTimeout(() => response.end('hello'), 2)).listen(Number(process.env.APP_PORT ?? 0), '127.0.0.1')
`

/** @param {string} home @param {Record<string, string>} [files] more of them */
function writeApplication (home, files = {}) {
  for (const [name, text] of Object.entries({ 'app.js': APP, 'package.json': '{"name": "app", "version": "1.0.0", "private": true}', ...files })) {
    fs.writeFileSync(path.join(home, name), text)
  }
}

/** @param {string} home @param {string} platform 'linux-x64' @returns {string[]} the archives that a user gives to npm */
function giveArchives (home, platform) {
  const wanted = packedArchives().filter((file) => !/edgewise-linux/.test(file) || path.basename(file).startsWith(`edgewise-${platform}-0`))
  for (const file of wanted) fs.copyFileSync(file, path.join(home, path.basename(file)))
  return wanted.map((file) => `./${path.basename(file)}`)
}

/**
 * @param {import('./machine').Machine} machine on which edgewise is installed
 * @param {{ edgewise?: string[], timeoutMs?: number }} [options] edgewise: how it is called; timeoutMs: until the report is there
 */
async function profiles (machine, { edgewise = ['npx', 'edgewise'], timeoutMs = 60_000 } = {}) {
  const args = ['profile', '--json', '--url', '/', '--rate', String(RATE), '--for', String(SECONDS), '--', 'node', 'app.js']
  const profiled = await machine.run([...edgewise, ...args], { timeoutMs })
  assert.equal(profiled.code, 0, profiled.stderr)
  assert.doesNotMatch(profiled.stderr, /unrecorded|not built|does not load/)
  const { requests, problems } = JSON.parse(profiled.stdout)
  const sent = Number(/(\d+) responses .* 0 errors/.exec(profiled.stderr)?.[1])
  assert.deepEqual([requests.count, requests.lost, problems], [sent, 0, []], profiled.stderr)
  assert.ok(sent > 0.8 * RATE * SECONDS, profiled.stderr)
  return profiled
}

module.exports = { giveArchives, profiles, writeApplication }
