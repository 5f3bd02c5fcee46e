'use strict'

// Works for a moment, and asks the service at NEXT_PORT, where there is one.

const http = require('node:http')
const { serving } = require('./serving')

const { NEXT_PORT: port, WORK_US: us = '200' } = process.env
const agent = new http.Agent({ keepAlive: true })

let sink = 0
function work () {
  let x = sink | 1
  for (let i = 0; i < 500 * Number(us); i++) x = (Math.imul(x, 1664525) + 1013904223) | 0
  sink = x
}

serving(http.createServer((request, response) => {
  work()
  if (port === undefined) return response.end('done')
  http.get({ host: '127.0.0.1', port, agent }, (answer) => {
    answer.resume()
    answer.once('end', () => response.end('done'))
  }).once('error', () => response.destroy())
}).listen(0, '127.0.0.1'))
