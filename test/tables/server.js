'use strict'

// Requests of one route that differ in what happens to them, in which order:
// they ask a service (BACKEND_PORT) and collect before or after that, as their
// query says, which is no part of a route.

const http = require('node:http')

const SLOW_MS = 800
const agent = new http.Agent({ keepAlive: true })

const server = http.createServer(({ url = '' }, response) => {
  if (url.includes('before')) collect()
  http.get({ host: '127.0.0.1', port: Number(process.env.BACKEND_PORT), agent }, (answer) => {
    answer.resume().on('end', () => {
      if (url.includes('after')) collect()
      if (url.includes('slow')) for (const end = performance.now() + SLOW_MS; performance.now() < end;);
      response.end()
    })
  })
})

function collect () {
  /** @type {any} */ (global).gc() // --expose-gc
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port }))
process.once('message', () => {
  server.close()
  server.closeAllConnections()
  agent.destroy()
  process.disconnect?.()
})
