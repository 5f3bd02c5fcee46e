'use strict'

const { createServer } = require('node:http')
const { Server } = require('socket.io')
const { serving } = require('./serving')

const server = createServer((request, response) => response.end('plain'))
const io = new Server(server)
io.on('connection', (socket) => {
  socket.once('hello', () => {})
  socket.on('join', async (name, done) => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    done(`joined ${name}`)
  })
})
io.of('/chat').on('connection', (socket) => {
  socket.on('say', (text, done) => done(`said ${text}`))
})
server.listen(0, '127.0.0.1')
serving(server, () => io.close())
