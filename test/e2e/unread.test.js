'use strict'

// A request whose bytes were read with what an earlier one had left unread is as
// old as itself.

const assert = require('node:assert/strict')
const net = require('node:net')
const { test } = require('node:test')
const { reportedRequests, startApp } = require('./recorded-app')

const ROUNDS = 10
const WAIT_MS = 40
const WORK_MS = 5
const BODY = Buffer.alloc(400_000, 'x')

/** @param {number} port @returns {Promise<void>} once all is answered; on one connection */
function talk (port) {
  const socket = net.connect(port, '127.0.0.1')
  const post = Buffer.concat([Buffer.from(`POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n`), BODY])
  let rounds = 0
  let got = ''
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('close', resolve).on('data', (data) => {
      got += data
      if (got.endsWith('unread')) socket.write('GET /next HTTP/1.1\r\nHost: x\r\n\r\n')
      else if (!got.endsWith('next')) return
      else if (++rounds < ROUNDS) socket.write(post)
      else socket.end()
      got = ''
    })
    socket.write(post)
  })
}

test('what was left unread of a body says nothing of the request after it', async (t) => {
  const app = await startApp(t, 'unread.js', { env: { WAIT_MS: String(WAIT_MS), WORK_MS: String(WORK_MS) } })
  await talk(app.port)
  await app.stop()
  const rows = reportedRequests(app.out)
  assert.equal(rows.length, 2 * ROUNDS)
  const latencies = rows.filter(({ route }) => route === 'GET /next').map(({ latency_ns: ns }) => ns / 1e6)
  assert.equal(latencies.length, ROUNDS)
  const late = latencies.filter((ms) => ms > WAIT_MS / 2)
  assert.ok(late.length <= 1, `asked when the body was answered, ${WORK_MS} ms before it is read: ${latencies.join(', ')} ms`)
  const bodies = rows.filter(({ route }) => route === 'POST /body').map(({ latency_ns: ns }) => ns / 1e6)
  assert.ok(bodies.every((ms) => ms >= WAIT_MS - 1), bodies.join(', '))
})
