'use strict'

// Another process, which does after DELAY ms what the ways of ways.js wait for. It tells its ports.

const dgram = require('node:dgram')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { TRUNCATED, answerTo } = require('./name-server')
const { DELAY } = require('./times')

const NO_NAME = 3

// What it did, and when: just before, and when it was done (CLOCK_MONOTONIC, ns).
const told = []
const now = () => Number(process.hrtime.bigint())
function tellOf (act) {
  const from = now()
  act()
  told.push({ from, to: now() })
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
