'use strict'

// How many requests a service has begun, over time: its processes tell by their
// control sockets (lib/instrument/servers/counted.js).

const net = require('node:net')
const { eachLine } = require('./lines')

/** @typedef {import('./model').Counted} Counted */

/** Of all processes of one service together. */
class Counting {
  /** @type {Counted[]} by the clock of who counts: we may be kept from reading for a while */
  counts = []
  /** @type {string | undefined} why it is not complete */
  problem
  #latest
  #connections

  /** @param {string[]} sockets of its processes @param {number} every so many requests of a process it tells */
  constructor (sockets, every) {
    this.#latest = sockets.map(() => 0)
    this.#connections = sockets.map((path, i) => this.#follow(path, every, i))
  }

  #follow (/** @type {string} */ path, /** @type {number} */ every, /** @type {number} */ i) {
    const socket = net.connect(path)
    const command = `${JSON.stringify({ command: 'count', every })}\n`
    socket.on('error', (error) => { this.problem ??= error.message })
    socket.once('connect', () => socket.write(command))
    eachLine(socket, (line) => {
      const [, count, atNs] = /^(\d+) (\d+)$/.exec(line) ?? []
      if (count !== undefined) {
        this.#latest[i] = Number(count)
        this.counts.push({ atMs: Number(atNs) / 1e6, count: this.#latest.reduce((sum, each) => sum + each, 0) })
      } else if (!JSON.parse(line).ok) {
        this.problem ??= JSON.parse(line).error
      }
    })
    return socket
  }

  /** @returns {number} processes that have counted any */
  get busy () {
    return this.#latest.filter((count) => count > 0).length
  }

  /** Forgets what was counted until now. */
  restart () {
    this.counts = []
  }

  close () {
    for (const socket of this.#connections) socket.destroy()
  }
}

module.exports = { Counting }
