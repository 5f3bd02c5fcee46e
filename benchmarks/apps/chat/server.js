// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// feathers-chat on loopback: its own starter listens everywhere, and before it
// has a database. PORT and MONGO_PORT come from the environment.

const path = require('node:path')
const process = require('node:process')

const database = require('./database')

// Its configuration for production is that of its authors' site.
process.env.NODE_CONFIG_DIR = path.join(__dirname, 'node_modules/feathers-chat/config')
process.env.NODE_CONFIG_ENV = 'loopback'

async function main () {
  await database.connect(Number(process.env.MONGO_PORT))
  const app = require('feathers-chat/src/app')
  const server = app.listen(Number(process.env.PORT), '127.0.0.1')
  process.on('SIGTERM', () => {
    server.close(() => database.close())
    app.io.close()
    server.closeIdleConnections()
  })
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
