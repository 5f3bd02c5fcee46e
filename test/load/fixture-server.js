'use strict'

// PORT: where to listen. DIE_AFTER: requests until it ends with code 3.
// DEAF: ignore SIGTERM. It says how many requests it saw when it is ended.

const http = require('node:http')

let seen = 0
const server = http.createServer((request, response) => {
  seen++
  if (seen === Number(process.env.DIE_AFTER)) {
    console.error('the last words')
    process.exit(3)
  }
  response.end(`saw ${request.url}`)
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`mark ${process.env.MARK}, edgewise ${process.env.EDGEWISE_OUT}, arguments ${process.execArgv}`)
})
process.on('SIGTERM', () => {
  if (process.env.DEAF) return
  require('node:fs').appendFileSync(process.env.COUNTS ?? '/dev/null', `${seen}\n`)
  process.exit(0)
})
