'use strict'

// server.js and the service it asks, as an application of the benchmarks.

const path = require('node:path')
const { plainEnvironment, startService, withService } = require('../apps/service')
const { startNode } = require('../apps/app')

const DELAY = path.join(__dirname, '../../build/benchmarks/whatif/edgewise-delay')
const REQUESTS = [['quick', 6], ['asks', 3], ['twice', 2], ['heavy', 1]]

/** @type {import('../apps/app').App} */
module.exports = {
  name: 'synthetic',
  description: 'routes of known demands',
  packages: [],
  workers: [1],
  install: async () => __dirname,
  mix: () => ({ requests: REQUESTS.map(([name, weight]) => ({ name, weight, path: `/${name}` })) }),
  start: async (context) => {
    const delay = await startService({
      name: 'edgewise-delay',
      log: path.join(context.runFolder, 'delay.log'),
      signal: context.signal,
      launch: (port) => ({ command: DELAY, args: [String(port)], env: plainEnvironment() })
    })
    try {
      const app = await startNode('synthetic', context, (port) => ({
        script: path.join(__dirname, 'server.js'),
        env: { PORT: String(port), DELAY_PORT: String(delay.port) }
      }))
      return { ...withService(app, delay), url: `http://127.0.0.1:${app.port}`, reset: async () => {} }
    } catch (error) {
      await delay.stop()
      throw error
    }
  }
}
