'use strict'

// An application for tests: a server that counts, logs and dies as it is told.

const path = require('node:path')

const { startNode } = require('../../benchmarks/apps/app')

const SERVER = path.join(__dirname, 'fixture-server.js')

/** @type {import('../../benchmarks/apps/app').App} */
module.exports = {
  name: 'fixture',
  description: 'for tests',
  packages: [],
  workers: [1],
  install: async () => __dirname,
  start: async context => {
    const service = await startNode('fixture', context, port => ({ script: SERVER, env: { PORT: String(port) } }))
    return {
      ...service,
      url: `http://127.0.0.1:${service.port}`,
      variables: { word: { choice: ['given'] } },
      reset: async () => {}
    }
  },
  mix: () => ({ requests: [{ name: 'get', path: '/{{word}}', expect: { contains: 'saw /given' } }] })
}
