// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// feathers-chat on loopback: its own starter listens everywhere, and before it
// has a database. PORT and MONGO_PORT come from the environment; with
// AUTHORS_ONCE a list of messages reads each author once, not once a message.

const path = require('node:path')
const process = require('node:process')

const database = require('./database')

// Its configuration for production is that of its authors' site.
process.env.NODE_CONFIG_DIR = path.join(__dirname, 'node_modules/feathers-chat/config')
process.env.NODE_CONFIG_ENV = 'loopback'

async function main () {
  await database.connect(Number(process.env.MONGO_PORT))
  if (process.env.AUTHORS_ONCE) readAuthorsOnce()
  const app = require('feathers-chat/src/app')
  const server = app.listen(Number(process.env.PORT), '127.0.0.1')
  process.on('SIGTERM', () => {
    server.close(() => database.close())
    app.io.close()
    server.closeIdleConnections()
  })
}

// In place of the hook that adds the authors to messages.
function readAuthorsOnce () {
  const file = require.resolve('feathers-chat/src/hooks/populate-user')
  require(file)
  require.cache[file].exports = () => async context => {
    const { app, method, params, result } = context
    const messages = method === 'find' ? result.data : [result]
    const authors = new Map(messages.map(({ userId }) => [String(userId), userId]))
    const users = new Map(await Promise.all([...authors].map(async ([key, id]) => [key, await app.service('users').get(id, params)])))
    const complete = messages.map(message => ({ ...message, user: users.get(String(message.userId)) }))
    if (method === 'find') result.data = complete
    else context.result = complete[0]
    return context
  }
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
