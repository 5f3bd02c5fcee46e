'use strict'

// The programs' server, started in some way, and asked for the work of
// programs: one request after the other.

const http = require('node:http')
const path = require('node:path')
const { startServer } = require('../shared/server-process')
const { scratchDirectory } = require('./scratch')

/** The program; `node` runs it. */
const SERVER = path.join(__dirname, 'programs', 'server.js')

/** @typedef {{ route: string, ns: number, wallNs: number }} Worked of a request, by the program's own clocks: for how long its thread ran, and how long it took */

/**
 * @param {(place: import('../overhead/variants').Place) => { script?: string, args?: string[], env?: Record<string, string> }} start
 *   script: what runs the server in its place
 * @param {{ serverCpus: string, helperCpus: string, node?: string }} settings
 * @param {Record<string, string>} env
 * @param {(ask: (url: string) => Promise<string>) => Promise<void>} load
 * @returns {Promise<{ worked: Worked[], scratch: string, said: string, remove: () => void }>} remove: of its scratch directory
 */
async function served (start, { serverCpus, helperCpus, node }, env, load) {
  const { directory: scratch, remove } = scratchDirectory()
  try {
    const started = start({ servers: '', scratch })
    const running = await startServer({
      script: SERVER,
      node,
      ...started,
      env: { ...started.env, ...env },
      cpus: serverCpus,
      helperCpus,
      cwd: scratch
    })
    const agent = new http.Agent({ keepAlive: true })
    const ask = (/** @type {string} */ url) => answer(running.port, url, agent)
    try {
      await load(ask)
      const worked = JSON.parse(await ask('/truth'))
      await ask('/end') // By itself: what has started it may not pass a signal on.
      return { worked, scratch, said: await running.stop(), remove }
    } finally {
      agent.destroy()
      await running.stop()
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** @param {number} port @param {string} url @param {http.Agent} agent @returns {Promise<string>} */
function answer (port, url, agent) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: url, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => { text += part }).on('end', () => resolve(text)).on('error', reject)
    }).on('error', reject)
  })
}

module.exports = { served, SERVER }
