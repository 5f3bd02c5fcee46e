'use strict'

const net = require('node:net')

/** @typedef {(status: number, read: number) => void} Answered read: which of the pool's, several answers may come in one */

/** Connections that all requests share, as a database client has: questions are pipelined, answers come back in order. */
class LinePool {
  /**
   * @param {net.NetConnectOpts} where
   * @param {number} count of connections
   */
  constructor (where, count) {
    this.next = 0
    this.reads = 0
    this.connections = Array.from({ length: count }, () => {
      const socket = net.connect(where)
      const connection = { socket, waiting: /** @type {Answered[]} */ ([]), text: '' }
      socket.setNoDelay(true)
      socket.on('data', (data) => this.#read(connection, String(data)))
      return connection
    })
  }

  #read (connection, data) {
    const lines = (connection.text + data).split('\n')
    connection.text = lines.pop()
    const read = this.reads++
    for (const line of lines) connection.waiting.shift()(Number(line.split(' ')[1]), read)
  }

  /**
   * @param {string} question
   * @param {number} ms
   * @param {number} status
   * @param {Answered} callback
   */
  ask (question, ms, status, callback) {
    const { socket, waiting } = this.connections[this.next++ % this.connections.length]
    waiting.push(callback)
    socket.write(`${question} ${ms} ${status}\n`)
  }

  close () {
    for (const { socket } of this.connections) socket.destroy()
  }
}

module.exports = { LinePool }
