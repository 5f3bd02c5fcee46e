'use strict'

// Lines over TCP, each a request by edgewise.request(): an ordinary one, one
// that fails, one that returns at once.

const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const edgewise = require('../../../lib')
const { serving } = require('./serving')

const sockets = new Set()
const server = net.createServer((socket) => {
  sockets.add(socket)
  socket.on('data', (data) => {
    for (const line of String(data).trim().split('\n')) handle(line, socket)
  })
})

function handle (line, socket) {
  if (line === 'now') return edgewise.request('line now', () => socket.write('ok\n'))
  edgewise.request(`line ${line}`, async () => {
    await sleep(2)
    if (line === 'fail') throw new Error('meant to fail')
  }).then(() => socket.write('ok\n'), () => socket.write('failed\n'))
}
serving(server.listen(0, '127.0.0.1'), () => sockets.forEach((socket) => socket.destroy()))
