// A server that speaks MongoDB's protocol, with its data in memory, on
// 127.0.0.1:PORT. Its package exports only what needs all of its dependencies.

import process from 'node:process'

import { CongoServer } from '@push.rocks/smartmongo/dist_ts/congodb/server/CongoServer.js'

const server = new CongoServer({ host: '127.0.0.1', port: Number(process.env.PORT) })
await server.start()
process.on('SIGTERM', () => process.exit())
