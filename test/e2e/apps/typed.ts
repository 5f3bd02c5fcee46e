// Compiled by its test, with a source map: what runs has other lines.

interface Answer {
  status: number
  body: string
}

type Work = () => Answer

import http = require('node:http')

const MS = 24

const spinning: Work = () => {
  const end = performance.now() + MS
  let rounds = 0
  while (performance.now() < end) rounds++
  return { status: 200, body: String(rounds) }
}

const quick: Work = () => ({ status: 200, body: 'x' })

const server = http.createServer((request, response) => {
  const work = request.url === '/spin' ? spinning : quick
  const { status, body } = work()
  response.writeHead(status).end(body)
})
server.listen(0, () => process.send?.({ port: (server.address() as { port: number }).port }))
process.once('message', () => {
  server.close()
  server.closeAllConnections()
  process.disconnect()
})
