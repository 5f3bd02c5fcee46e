'use strict'

// The backend of the random programs, a process of its own: HTTP/1.1, and lines
// over TCP and a Unix socket, answered in order. It answers a question after
// as many ms as it names, and keeps when it came and when its answer left.

const http = require('node:http')
const net = require('node:net')
const { now } = require('./clock')

/** @type {Record<string, { ms: number, arrived: number, from: number, to: number }>} */
const answers = {}

function answer (question, ms, arrived, write) {
  const from = now()
  write()
  answers[question] = { ms: Number(ms), arrived, from, to: now() }
}

// GET /QUESTION/MS/STATUS
const web = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const arrived = now()
  const [, question, ms, status] = String(request.url).split('/')
  setTimeout(() => {
    if (response.destroyed) return
    response.statusCode = Number(status)
    response.setHeader('content-length', 1)
    answer(question, ms, arrived, () => response.end('x'))
  }, Number(ms))
})

/** @param {net.Socket} socket lines QUESTION MS STATUS, answered by QUESTION STATUS */
function serveLines (socket) {
  socket.setNoDelay(true)
  let text = ''
  let before = Promise.resolve()
  socket.on('error', () => {})
  socket.on('data', (data) => {
    const arrived = now()
    const lines = (text + data).split('\n')
    text = /** @type {string} */ (lines.pop())
    for (const line of lines) before = answerLine(socket, line, arrived, before)
  })
}

async function answerLine (socket, line, arrived, before) {
  const [question, ms, status] = line.split(' ')
  const wait = new Promise((resolve) => setTimeout(resolve, Number(ms)))
  await before
  await wait
  answer(question, ms, arrived, () => socket.write(`${question} ${status}\n`))
}

const lines = net.createServer(serveLines)
const local = net.createServer(serveLines)
const file = process.argv[2]
web.listen(0, '127.0.0.1', () => lines.listen(0, '127.0.0.1', () => local.listen(file, () => {
  const portOf = (server) => server.address().port
  process.send?.({ web: portOf(web), lines: portOf(lines), file })
})))
process.on('message', () => process.send?.({ answers }))
process.once('disconnect', () => process.exit())
