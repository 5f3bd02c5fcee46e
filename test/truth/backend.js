'use strict'

// What the backends of the programs share: each is a process of its own, gone
// with its program, and knows between which times each of its answers left.

const fs = require('node:fs')
const path = require('node:path')
const { now } = require('./witness')

/** @type {[number, number][]} of each answer: just before it was sent, and just after, ns */
const sends = []

/**
 * @param {(sentNs: number) => void} send is told the time, CLOCK_MONOTONIC, ns
 */
function answer (send) {
  const from = now()
  send(from)
  sends.push([from, now()])
}

/**
 * @param {import('node:net').Server} server that answers by answer(), until its program is gone
 */
function serve (server) {
  server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
  process.once('disconnect', () => {
    fs.writeFileSync(path.join(process.env.TRUTH_DIRECTORY ?? '.', `sends-${process.pid}.json`), JSON.stringify(sends))
    process.exit()
  })
}

module.exports = { answer, serve }
