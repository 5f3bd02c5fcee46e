'use strict'

// The backend of the pooled programs, in a process of its own: answers each
// line `ID DELAY_MS` in order of arrival, not before its delay is over, with
// `ID SENT_NS`: CLOCK_MONOTONIC just before the answer left.

const net = require('node:net')
const { openWarmWriter } = require('./warm-writer')
const { now } = require('./witness')

const warm = openWarmWriter()

const server = net.createServer((socket) => {
  socket.setNoDelay(true)
  let text = ''
  let before = Promise.resolve()
  socket.on('data', (data) => {
    text += data
    const lines = text.split('\n')
    text = /** @type {string} */ (lines.pop())
    for (const line of lines) before = answer(socket, line, before)
  })
})

async function answer (socket, line, before) {
  const [id, delayMs] = line.split(' ')
  const wait = new Promise((resolve) => setTimeout(resolve, Number(delayMs)))
  await before
  await wait
  ;(await warm)()
  socket.write(`${id} ${now()}\n`)
}

server.listen(0, '127.0.0.1', () => process.send({ port: /** @type {any} */ (server.address()).port }))
process.once('disconnect', () => process.exit())
