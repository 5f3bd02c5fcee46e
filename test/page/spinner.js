'use strict'

const http = require('node:http')

const server = http.createServer((request, response) => {
  if (request.url === '/spin') for (const end = performance.now() + 30; performance.now() < end;);
  response.end('x')
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
process.once('message', () => {
  server.close()
  server.closeAllConnections()
  process.disconnect?.()
})
