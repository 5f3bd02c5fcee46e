'use strict'

// A route that works for each byte of a request's body, and leaves garbage, of
// which the last few answers' stays in use for a while.

const http = require('node:http')
const { serving } = require('./serving')

const ROUNDS_A_BYTE = 100
const KEPT = 40
/** @type {object[][]} */
let kept = []
let last = 0

function work (/** @type {number} */ bytes) {
  let x = last | 1
  for (let i = 0; i < bytes * ROUNDS_A_BYTE; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0
  last = x
}

serving(http.createServer((request, response) => {
  let bytes = 0
  request.on('data', (data) => { bytes += data.length })
  request.on('end', () => {
    work(bytes)
    kept = [...kept, Array.from({ length: bytes }, (_, i) => ({ i }))].slice(-KEPT)
    response.end('done')
  })
}).listen(0, '127.0.0.1'))
