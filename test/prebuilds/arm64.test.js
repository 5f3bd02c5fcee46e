'use strict'

// arm64, under qemu where this machine is none: what is sent is recorded.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { test } = require('node:test')
const { packedArchives } = require('../../scripts/tasks/prebuilds/packages')
const { listens } = require('../listens')
const { giveArchives, profiles, writeApplication } = require('./application')
const { end, gathered, machine } = require('./machine')
const { startRegistry } = require('./registry')

const COUNT = 200
const PORT = 18_471
const NODE = '22'
const SLOW = { timeoutMs: 900_000 }
const skip = packedArchives().some((file) => file.includes('linux-arm64-0')) ? false : 'no package for linux-arm64 is packed'

test('arm64', { skip }, async (t) => {
  const here = await machine(t, { node: NODE, arch: 'arm64', registry: await startRegistry(t) })
  assert.equal((await here.run(['node', '-p', 'process.arch'], SLOW)).stdout, 'arm64\n')
  writeApplication(here.home)
  const installed = await here.run(['npm', 'install', ...giveArchives(here.home, 'linux-arm64')], SLOW)
  assert.equal(installed.code, 0, installed.stderr)
  await t.test('all that is sent is recorded', async () => {
    const app = here.begin(['env', `APP_PORT=${PORT}`, 'EDGEWISE_OUT=/home/app/trace', 'node', '--require', 'edgewise/register', 'app.js'])
    const said = gathered(app)
    try {
      await listening(PORT)
      for (let i = 0; i < COUNT; i++) assert.equal(await get(PORT), 'hello')
    } finally {
      await end(app)
    }
    assert.doesNotMatch(said.stderr, /unrecorded/)
    assert.equal(fs.readdirSync(path.join(here.home, 'trace')).filter((name) => name.endsWith('.ewt')).length, 1)
    const reported = await here.run(['npx', 'edgewise', 'report', '--json', 'trace'], SLOW)
    assert.equal(reported.code, 0, reported.stderr)
    const { requests, problems } = JSON.parse(reported.stdout)
    assert.deepEqual([requests.count, problems], [COUNT, []])
  })
  await t.test('profile', () => profiles(here, SLOW))
})

async function listening (/** @type {number} */ port) {
  for (const deadline = Date.now() + 120_000; !await listens(port); await new Promise((resolve) => setTimeout(resolve, 200))) {
    if (Date.now() > deadline) throw new Error(`nobody listens on ${port}`)
  }
}

/** @returns {Promise<string>} */
function get (/** @type {number} */ port) {
  return new Promise((resolve, reject) => {
    http.get({ port, host: '127.0.0.1' }, (response) => {
      let text = ''
      response.on('data', (part) => { text += part }).on('end', () => resolve(text))
    }).on('error', reject)
  })
}
