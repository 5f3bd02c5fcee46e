'use strict'

const { createServer } = require('node:http')
const { WebSocketServer } = require('ws')
const { serving } = require('./serving')

const server = createServer((request, response) => response.end('plain'))
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket) => {
  socket.on('message', async (data) => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    socket.send(`got ${data}`)
  })
  socket.on('message', () => {})
})
server.listen(0, '127.0.0.1')
serving(server, () => { for (const socket of sockets.clients) socket.terminate() })
