'use strict'

// As much of PostgreSQL's wire protocol as a client needs to ask: a query is a
// number of milliseconds, and its answer one row, `sent`: CLOCK_MONOTONIC just
// before the answer left, ns.

const net = require('node:net')
const { openWarmWriter } = require('./warm-writer')
const { now } = require('./witness')

const TEXT_TYPE = 25

function message (type, ...parts) {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const int16 = (value) => Buffer.from([value >> 8 & 255, value & 255])
const int32 = (value) => Buffer.concat([int16(value >> 16), int16(value)])
const text = (value) => Buffer.from(`${value}\0`)

const AUTHENTICATED = message('R', int32(0))
const READY = message('Z', Buffer.from('I'))
const COLUMNS = message('T', int16(1), text('sent'), int32(0), int16(0), int32(TEXT_TYPE), int16(-1), int32(-1), int16(0))
const COMPLETE = message('C', text('SELECT 1'))

// All but the time is there before, and left by fewer instructions.
const STAMP_BYTES = 20
const BEFORE_STAMP = Buffer.concat([COLUMNS, message('D', int16(1), int32(STAMP_BYTES), Buffer.alloc(STAMP_BYTES, ' '))])
const ANSWER = Buffer.concat([BEFORE_STAMP, COMPLETE, READY])

const warm = openWarmWriter()

async function answer (socket, bytes) {
  ;(await warm)()
  bytes.write(String(now()), BEFORE_STAMP.length - STAMP_BYTES, 'latin1')
  socket.write(bytes)
}

const server = net.createServer((socket) => {
  socket.setNoDelay(true)
  let bytes = Buffer.alloc(0)
  let started = false
  socket.on('data', (data) => {
    bytes = Buffer.concat([bytes, data])
    // The first message alone has no type.
    while (bytes.length >= (started ? 5 : 4)) {
      const typeBytes = started ? 1 : 0
      const end = typeBytes + bytes.readInt32BE(typeBytes)
      if (bytes.length < end) return
      if (!started) {
        started = true
        socket.write(Buffer.concat([AUTHENTICATED, READY]))
      } else if (bytes[0] === 'Q'.charCodeAt(0)) {
        const milliseconds = Number(bytes.toString('utf8', 5, end - 1))
        setTimeout(answer, milliseconds, socket, Buffer.from(ANSWER))
      }
      bytes = bytes.subarray(end)
    }
  })
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
process.once('disconnect', () => process.exit())
