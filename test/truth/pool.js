'use strict'

// A pool of one connection, as a database client has: requests share it, and
// the answers come back in order.

const { spawn } = require('node:child_process')
const net = require('node:net')
const path = require('node:path')
const { lastLeft, now } = require('./witness')

class Pool {
  /** @returns {Promise<Pool>} connected to an echo server of its own */
  static async open () {
    const { server, port } = await startEchoServer()
    return Pool.connect(port, () => server.disconnect())
  }

  /**
   * @param {number} port of an echo server
   * @param {() => void} [onClose]
   * @returns {Promise<Pool>}
   */
  static async connect (port, onClose = () => {}) {
    const socket = net.connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    return new Pool(socket, onClose)
  }

  constructor (socket, onClose) {
    this.socket = socket
    this.onClose = onClose
    this.waiting = []
    this.text = ''
    /** When the read began that runs now, ns. */
    this.readNs = 0
    socket.setNoDelay(true)
    socket.on('data', (data) => this.#read(data))
  }

  #read (data) {
    this.readNs = now()
    this.text += data
    const lines = this.text.split('\n')
    this.text = /** @type {string} */ (lines.pop())
    // Answers that come in one read are one event: ready since the first.
    const sentNs = Number(lines[0]?.split(' ')[1])
    for (let i = 0; i < lines.length; i++) this.waiting.shift()(sentNs)
  }

  /** @returns {number} since when the read that runs now is of the request that its callback resumes, ns */
  sinceNs () {
    return Math.max(this.readNs, lastLeft())
  }

  /**
   * @param {number} delayMs how long the server takes
   * @param {(sentNs: number) => void} callback gets when the answer, or the first of those read with it, left the server
   */
  ask (delayMs, callback) {
    this.waiting.push(callback)
    this.socket.write(`q ${delayMs}\n`)
  }

  /** @returns {Promise<number>} */
  asked (delayMs) {
    return new Promise((resolve) => this.ask(delayMs, resolve))
  }

  close () {
    this.socket.destroy()
    this.onClose()
  }
}

/** Starts an echo server that ends when its channel does. */
async function startEchoServer () {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const server = spawn(process.execPath, [path.join(__dirname, 'echo-server.js')],
    { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { port } = await new Promise((resolve) => server.once('message', resolve))
  return { server, port }
}

module.exports = { Pool, startEchoServer }
