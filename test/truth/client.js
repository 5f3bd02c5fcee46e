'use strict'

// The harness's client: raw sockets, since it must know when a request's bytes
// left, and send several at once or go away in the middle.

const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { now } = require('./witness')

class Connection {
  constructor (port, ledger) {
    this.ledger = ledger
    this.waiting = []
    this.text = ''
    this.socket = net.connect(port, '127.0.0.1')
    this.socket.setNoDelay(true)
    this.socket.setEncoding('latin1')
    this.socket.on('error', () => {})
    this.socket.on('data', (text) => this.#read(text))
    this.opened = new Promise((resolve) => this.socket.once('connect', () => resolve(this)))
  }

  // Responses of a known length, and of a chunked body that ends in its mark.
  #read (text) {
    this.text += text
    while (this.waiting.length > 0) {
      const head = this.text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = /content-length: (\d+)/i.exec(this.text.slice(0, head))
      const end = length ? head + 4 + Number(length[1]) : this.text.indexOf('0\r\n\r\n', head) + 5
      if ((!length && end < head) || this.text.length < end) return
      const body = this.text.slice(head + 4, end)
      this.text = this.text.slice(end)
      this.ledger.answered++
      this.waiting.shift()(body)
    }
  }

  /**
   * @param {...string} paths requests that leave in one packet
   * @returns {Promise<string>} the body of the last one's response
   */
  get (...paths) {
    const bytes = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join('')
    const answers = paths.map((path) => new Promise((resolve) => this.waiting.push(resolve)))
    const at = now()
    this.socket.write(bytes)
    for (const path of paths) this.ledger.sent.set(`GET ${path}`, { from: at, to: now() })
    return /** @type {any} */ (Promise.all(answers).then((bodies) => bodies.at(-1)))
  }

  /** Goes away without waiting for what was asked. */
  giveUp () {
    this.ledger.givenUp += this.waiting.length
    this.socket.destroy()
  }

  destroy () {
    this.socket.destroy()
  }
}

class Client {
  /** @param {any} started what the program told: {port} or {ports} */
  constructor (started) {
    this.ports = started.ports ?? [started.port]
    /** When each request's bytes left, and how many were answered or given up. */
    this.ledger = { sent: new Map(), answered: 0, givenUp: 0 }
    this.connections = []
    this.sleep = sleep
  }

  /** @returns {Promise<Connection>} to the ports in turn */
  async connect () {
    const port = this.ports[this.connections.length % this.ports.length]
    const connection = new Connection(port, this.ledger)
    this.connections.push(connection)
    return connection.opened
  }

  /**
   * Connections that have carried some requests each, so that code is compiled.
   * @param {number} count
   * @param {string} warm its path's first parts; a number follows
   * @param {number} [rounds] requests on each
   */
  async connectWarm (count, warm, rounds = 30) {
    const connections = []
    for (let i = 0; i < count; i++) connections.push(await this.connect())
    for (let i = 0; i < rounds; i++) {
      for (const [number, connection] of connections.entries()) await connection.get(`${warm}/w${number}x${i}`)
    }
    return connections
  }

  close () {
    for (const connection of this.connections) connection.destroy()
  }
}

module.exports = { Client }
