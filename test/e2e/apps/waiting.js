'use strict'

// Waits for what the test holds back, or lets go.

const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { serving } = require('./serving')

const fifo = process.env.FIFO ?? ''
const directory = path.join(process.cwd(), 'shelf', 'box')
fs.mkdirSync(directory, { recursive: true })
const file = path.join(directory, 'sw0rdfish.json')
fs.writeFileSync(file, '{}')

const handlers = {
  // Until somebody opens the other end. When that, and a read, was asked for: CLOCK_MONOTONIC, ns.
  blocked: (request, response) => {
    const asked = process.hrtime.bigint()
    fs.open(fifo, 'r', (_, fd) => fs.close(fd, () => response.end(String(asked))))
  },
  read: (request, response) => {
    const asked = process.hrtime.bigint()
    fs.readFile(file, () => response.end(String(asked)))
  },
  // Descriptors that were opened otherwise, and have the numbers of others.
  descriptors: (request, response) => {
    const [first, second] = [file, '/etc/hostname']
    fs.open(first, (_, fd) => {
      fs.closeSync(fd)
      const again = fs.openSync(second)
      fs.fstat(again, () => {
        fs.closeSync(again)
        response.end(String(fd === again))
      })
    })
  }
}

const server = http.createServer((request, response) => handlers[/** @type {string} */ (request.url).split('/')[1]](request, response))
server.listen(0, '127.0.0.1')
serving(server)
