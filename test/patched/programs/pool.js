'use strict'

// A callback-style pool: one socket, a queue in user code, several requests
// answered by one read. Neither promises nor async ids lead from that read to
// the requests; the functions in the queue do.

const assert = require('node:assert')
const http = require('node:http')
const net = require('node:net')
const { AsyncLocalStorage } = require('node:async_hooks')
const events = require(process.argv[2])

const CLOSURE = 1
const REQUESTS = 3
const storage = new AsyncLocalStorage()

// The database answers all that it was asked at once.
const database = net.createServer(socket => {
  let asked = ''
  socket.on('data', data => {
    asked += data
    if (asked.length === REQUESTS) socket.write(asked)
  })
})

function connect (port) {
  const waiting = []
  const socket = net.connect(port, '127.0.0.1')
  socket.on('data', data => { for (const answer of data.toString()) waiting.shift()(answer) })
  return { query (text, callback) { waiting.push(callback); socket.write(text) }, end: () => socket.end() }
}

const requests = []
let pool
const server = http.createServer((request, response) => {
  const mine = { url: request.url, event: events.current() }
  requests.push(mine)
  storage.run(request.url, () => pool.query(request.url[1], answer => {
    mine.answered = events.current()
    mine.stored = storage.getStore()
    response.end(answer)
  }))
})

database.listen(0, '127.0.0.1', () => {
  pool = connect(database.address().port)
  server.listen(0, '127.0.0.1', () => {
    assert.strictEqual(events.enable(1), 0)
    events.listen()
    let left = REQUESTS
    for (let i = 0; i < REQUESTS; i++) {
      http.get({ port: server.address().port, path: `/${i}`, agent: false }, response => {
        response.resume()
        response.on('end', () => { if (--left === 0) check() })
      })
    }
  })
})

function check () {
  const edges = events.takeEdges()
  assert.strictEqual(new Set(requests.map(each => each.event)).size, REQUESTS)
  for (const { event, answered } of requests) {
    assert.notStrictEqual(event, answered)
    assert.ok(edges.some(edge => edge.kind === CLOSURE && edge.src === event && edge.dst === answered), `${event}>${answered}`)
  }
  // What AsyncLocalStorage makes of it: every answer is the connection's.
  assert.ok(requests.some(each => each.stored !== each.url))
  pool.end()
  server.close()
  database.close()
}
