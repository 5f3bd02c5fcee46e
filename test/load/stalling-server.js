'use strict'

// A server that stalls: from the first request on, it blocks its event loop
// for STALL_MS at the end of every PERIOD_MS. On the message 'count' it says
// how many requests it has seen, and when it stalled (Date.now()).

const http = require('node:http')

const periodMs = Number(process.argv[2])
const stallMs = Number(process.argv[3])
let seen = 0
/** @type {{from: number, to: number}[]} */
const stalls = []

/**
 * By absolute times: an interval would count from the end of the last stall.
 * @param {number} startMs when the period began
 */
function stallAtEndOf (startMs) {
  setTimeout(() => {
    const stall = { from: Date.now(), to: startMs + periodMs }
    while (Date.now() < stall.to);
    stalls.push(stall)
    stallAtEndOf(startMs + periodMs)
  }, startMs + periodMs - stallMs - Date.now())
}

const server = http.createServer((request, response) => {
  if (seen++ === 0) stallAtEndOf(Date.now())
  response.end('ok')
})
server.listen(0, '127.0.0.1', 4096, () => process.send({ port: server.address().port }))
process.on('message', () => process.send({ seen, stalls }))
process.on('disconnect', () => process.exit())
