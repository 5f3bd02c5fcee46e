'use strict'

// Etherpad: the VEE'19 paper's own application, with the data file that is its
// default. It needs no service.

const fs = require('node:fs')
const path = require('node:path')

const { startNode, withContext } = require('../app')
const { installed } = require('../cache')
const { call, forEach, length, randomFrom, words } = require('../seed')

const API = '/api/1.2.15'
const KEY = 'edgewise'
const PADS = 100
const SEEDED = 'seeded.db'

/**
 * npm's package becomes Etherpad's own layout, `src` beside node_modules; then
 * a data file with pads is made once, which every run starts from.
 * @returns {Promise<string>} the directory
 */
function install () {
  return installed({ name: 'etherpad', folder: __dirname, npmArgs: ['--ignore-scripts'], prepare })
}

async function prepare (folder) {
  fs.renameSync(path.join(folder, 'node_modules/ep_etherpad-lite'), path.join(folder, 'src'))
  fs.symlinkSync('../src', path.join(folder, 'node_modules/ep_etherpad-lite'))
  replaceNpm(folder)
  await withContext('etherpad', {}, async context => {
    const app = await launch(folder, context)
    try {
      await fill(app.url)
    } finally {
      await app.stop()
    }
    fs.copyFileSync(path.join(context.runFolder, 'dirty0.db'), path.join(folder, SEEDED))
  })
}

/**
 * At each start Etherpad asks the npm that it depends on which plugins there
 * are: ten seconds, and Node.js processes that have nothing to do with serving.
 * Etherpad prefers this program, which gives the same answer.
 */
function replaceNpm (folder) {
  const self = path.join(folder, 'src')
  const { version } = JSON.parse(fs.readFileSync(path.join(self, 'package.json'), 'utf8'))
  const answer = JSON.stringify({ dependencies: { 'ep_etherpad-lite': { version, path: path.join(folder, 'node_modules/ep_etherpad-lite') } } })
  const script = `#!/bin/sh\nif [ "$1" = ls ]; then echo '${answer}'; else echo 6.14.13; fi\n`
  const bin = path.join(self, 'node_modules/.bin')
  fs.mkdirSync(bin, { recursive: true })
  fs.rmSync(path.join(bin, 'npm'), { force: true })
  fs.writeFileSync(path.join(bin, 'npm'), script, { mode: 0o755 })
}

/** @type {import('../app').App['start']} */
async function start (context) {
  const folder = await install()
  const app = await launch(folder, context)
  return { ...app, reset: () => reset(app.url, context.workers) }
}

/** With the seeded data when there are any, otherwise empty. */
async function launch (folder, context) {
  const file = name => path.join(context.runFolder, name)
  fs.writeFileSync(file('APIKEY.txt'), KEY)
  fs.writeFileSync(file('SESSIONKEY.txt'), KEY)
  const service = await startNode('etherpad', context, port => {
    const configured = Array.from({ length: context.workers }, (_, i) => {
      const database = file(`dirty${i}.db`)
      if (fs.existsSync(path.join(folder, SEEDED))) fs.copyFileSync(path.join(folder, SEEDED), database)
      fs.writeFileSync(file(`settings${i}.json`), JSON.stringify(settings(port, database)))
      return file(`settings${i}.json`)
    })
    const alone = ['--settings', configured[0], '--apikey', file('APIKEY.txt'), '--sessionkey', file('SESSIONKEY.txt')]
    return {
      script: context.workers > 1 ? path.join(__dirname, 'cluster.js') : path.join(folder, 'src/node/server.js'),
      args: context.workers > 1 ? [folder, context.runFolder, ...configured] : alone,
      cwd: folder,
      // It asks its project's server for a newer version; a benchmark stays on
      // this machine: nobody listens on the discard port.
      env: { HTTPS_PROXY: 'http://127.0.0.1:9' }
    }
  })
  return { ...service, url: `http://127.0.0.1:${service.port}` }
}

function settings (port, database) {
  return {
    ip: '127.0.0.1',
    port,
    dbType: 'dirty',
    dbSettings: { filename: database },
    skinName: 'colibris',
    loglevel: 'WARN',
    defaultPadText: 'Welcome to Etherpad!',
    importExportRateLimiting: { windowMs: 1000, max: 1_000_000 },
    disableIPlogging: true
  }
}

async function api (url, method, parameters) {
  const answer = await call(`${url}${API}/${method}`, {
    method: 'POST',
    body: new URLSearchParams({ apikey: KEY, ...parameters })
  })
  if (answer.code !== 0) throw new Error(`Etherpad's ${method}: ${answer.message}`)
  return answer.data
}

function fill (url) {
  const random = randomFrom(1)
  const pads = padNames().map(padID => ({ padID, text: words(random, length(random, 20, 800)) }))
  return forEach(pads, pad => api(url, 'createPad', pad))
}

async function reset (url, workers) {
  if (workers > 1) throw new Error('a cluster of Etherpads is reset by starting it again: each worker has its own data')
  const { padIDs } = await api(url, 'listAllPads', {})
  await forEach(padIDs, padID => api(url, 'deletePad', { padID }))
  await fill(url)
}

function padNames () {
  return Array.from({ length: PADS }, (_, i) => `pad${i}`)
}

/** @type {import('../app').App['mix']} */
function mix ({ workers }) {
  const ok = { status: [200], contains: '"code":0' }
  const form = { apikey: KEY, padID: '{{pad}}', text: '{{text}}' }
  const requests = [
    { name: 'GET /p/PAD', weight: 4, path: '/p/{{pad}}', expect: { status: [200] } },
    { name: 'POST setText', weight: 4, method: 'POST', path: `${API}/setText`, form, expect: ok },
    { name: 'GET getText', weight: 3, path: `${API}/getText?apikey=${KEY}&padID={{pad}}`, expect: ok },
    { name: 'GET export/html', weight: 1, path: '/p/{{pad}}/export/html', expect: { status: [200] } }
  ]
  const pads = [
    { name: 'POST createPad', weight: 0.3, method: 'POST', path: `${API}/createPad`, form: { ...form, padID: 'new{{n}}' }, expect: ok, capture: { created: { variable: 'n' } } },
    { name: 'POST deletePad', weight: 0.3, method: 'POST', path: `${API}/deletePad`, form: { apikey: KEY, padID: 'new{{take created}}' }, expect: ok }
  ]
  return {
    variables: {
      pad: { choice: padNames() },
      text: { words: [10, 600] },
      n: { counter: 1 },
      created: { pool: [] }
    },
    // A pad that one worker creates, another cannot delete.
    requests: workers > 1 ? requests : [...requests, ...pads]
  }
}

module.exports = {
  name: 'etherpad',
  description: 'Etherpad 1.8.14, collaborative editor: no service',
  packages: [],
  workers: [1, Infinity],
  install,
  start,
  mix
}
