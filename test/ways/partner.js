'use strict'

// Another process, which does after DELAY ms what the ways of ways.js wait for. It tells its ports.

const dgram = require('node:dgram')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { DELAY } = require('./times')

const ANSWER = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 10, 0, 0, 1])
const NO_NAME = 3
const TRUNCATED = 0x82

// What it did, and when: just before, and when it was done (CLOCK_MONOTONIC, ns).
const told = []
const now = () => Number(process.hrtime.bigint())
function tellOf (act) {
  const from = now()
  act()
  told.push({ from, to: now() })
}

/** What a name server says: any name is 10.0.0.1. */
function answerTo (question, { flags = 0x81, code = 0 } = {}) {
  const end = question.indexOf(0, 12) + 5
  const found = code === 0 && flags !== TRUNCATED
  const head = [flags, 0x80 | code, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0]
  return Buffer.concat([question.subarray(0, 2), Buffer.from(head), question.subarray(12, end), found ? ANSWER : Buffer.alloc(0)])
}

// By the first label of the name: silent, truncated (ask by TCP), unknown; else an answer.
const names = dgram.createSocket('udp4').on('message', (question, { port, address }) => {
  const label = question.toString('latin1', 13, 13 + question[12])
  if (label.startsWith('silent')) return
  if (label.startsWith('truncated')) return names.send(answerTo(question, { flags: TRUNCATED }), port, address)
  setTimeout(() => tellOf(() => names.send(answerTo(question, { code: label.startsWith('unknown') ? NO_NAME : 0 }), port, address)), DELAY)
})
const namesByTcp = net.createServer((socket) => socket.on('error', () => {}).on('data', (data) => {
  const answer = answerTo(data.subarray(2))
  setTimeout(() => {
    tellOf(() => {
      socket.write(Buffer.from([0, answer.length]))
      socket.write(answer)
    })
  }, DELAY)
}))
const datagrams = dgram.createSocket('udp4').on('message', (data, { port, address }) => setTimeout(() => tellOf(() => datagrams.send(data, port, address)), DELAY))
const echo = net.createServer((socket) => socket.on('error', () => {}).setNoDelay(true).on('data', (data) => setTimeout(() => tellOf(() => socket.write(data)), DELAY)))
const late = net.createServer((socket) => socket.on('error', () => {}).pause().on('data', () => {}) && setTimeout(() => socket.resume(), DELAY))
const pipe = path.join(os.tmpdir(), `edgewise-ways-${process.pid}.sock`)
const piped = net.createServer((socket) => socket.on('error', () => {}).on('data', (data) => setTimeout(() => tellOf(() => socket.write(data)), DELAY)))

names.bind(0, '127.0.0.1', () => namesByTcp.listen(names.address().port, '127.0.0.1', () =>
  datagrams.bind(0, '127.0.0.1', () => echo.listen(0, '127.0.0.1', () => late.listen(0, '127.0.0.1', () => piped.listen(pipe, () =>
    process.send({ names: names.address().port, datagrams: datagrams.address().port, echo: echo.address().port, late: late.address().port, pipe })))))))
process.on('message', () => process.send(told))
process.on('exit', () => { try { require('node:fs').unlinkSync(pipe) } catch {} })
