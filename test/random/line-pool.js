'use strict'

const net = require('node:net')

/** Connections that all requests share, as a database client has: questions are pipelined, answers come back in order. */
class LinePool {
  /**
   * @param {net.NetConnectOpts} where
   * @param {number} count of connections
   */
  constructor (where, count) {
    this.next = 0
    this.connections = Array.from({ length: count }, () => {
      const socket = net.connect(where)
      const connection = { socket, waiting: /** @type {((status: number) => void)[]} */ ([]), text: '' }
      socket.setNoDelay(true)
      socket.on('data', (data) => this.#read(connection, String(data)))
      return connection
    })
  }

  #read (connection, data) {
    const lines = (connection.text + data).split('\n')
    connection.text = lines.pop()
    for (const line of lines) connection.waiting.shift()(Number(line.split(' ')[1]))
  }

  /**
   * @param {string} question
   * @param {number} ms
   * @param {number} status
   * @param {(status: number) => void} callback
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
