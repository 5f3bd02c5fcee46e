// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// Parse Server on loopback, with its data in PostgreSQL. PORT, POSTGRES_PORT
// and KEY (of the application and its master) come from the environment;
// MAX_LIMIT, where it is set, is the most objects that a query gives.

const process = require('node:process')

const express = require('express')
const { ParseServer } = require('parse-server')

async function main () {
  const port = Number(process.env.PORT)
  const parse = new ParseServer({
    appName: 'contacts',
    appId: process.env.KEY,
    masterKey: process.env.KEY,
    masterKeyIps: ['127.0.0.1'],
    databaseURI: `postgres://edgewise@127.0.0.1:${process.env.POSTGRES_PORT}/contacts`,
    serverURL: `http://127.0.0.1:${port}/parse`,
    // Nobody is notified here: the packages that would do it are not installed.
    push: { adapter: { send: async () => [], getValidPushTypes: () => [] } },
    ...process.env.MAX_LIMIT ? { maxLimit: Number(process.env.MAX_LIMIT) } : {},
    logsFolder: null,
    logLevel: 'error'
  })
  await parse.start()
  const app = express()
  app.use('/parse', parse.app)
  const server = app.listen(port, '127.0.0.1')
  process.on('SIGTERM', () => {
    server.close(async () => {
      // handleShutdown() of Parse Server itself wants a server that it started.
      await parse.config.databaseController.adapter.handleShutdown()
      process.exit()
    })
    server.closeIdleConnections()
  })
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
