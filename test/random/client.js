'use strict'

// The client of the random programs: raw sockets, since it must know when each
// part of a request left.

const { once } = require('node:events')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { now } = require('./clock')

const PART = 'b'.repeat(100)
const PATIENCE_MS = 60_000
/** More at a time are kept waiting, so that a slow machine has no more to do at a time than a fast one. */
const MOST_OPEN = 12

/** @typedef {{ from: number, to: number }} Moment ns: between these, within one write() */

class Connection {
  constructor (port) {
    this.waiting = []
    this.text = ''
    this.socket = net.connect(port, '127.0.0.1')
    this.socket.setNoDelay(true).setEncoding('latin1')
    this.socket.on('error', () => {}).on('data', (text) => this.#read(text))
    this.opened = once(this.socket, 'connect')
    this.opened.catch(() => {}) // The server's end says more.
    this.idle = false
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
      this.text = this.text.slice(end)
      this.waiting.shift()()
    }
  }

  /** @returns {Moment} */
  write (bytes) {
    const from = now()
    this.socket.write(bytes)
    return { from, to: now() }
  }
}

class Client {
  /** @param {number} port */
  constructor (port) {
    this.port = port
    /** @type {Connection[]} */
    this.connections = []
    /** When each program's bytes left. @type {Map<number | string, Moment & { parts: Moment[] }>} */
    this.sent = new Map()
    /** Sent together and under way. */
    this.open = 0
    /** @type {Set<number>} programs */
    this.unanswered = new Set()
  }

  /**
   * Sends all programs at their times, and waits for what they answer.
   * @param {import('./plan').Program[]} programs
   * @param {() => void} [told] at each answer
   */
  async run (programs, told = () => {}) {
    const began = performance.now()
    /** @type {Map<number, Promise<Connection>>} */
    const used = new Map()
    const all = []
    const ended = (programs) => {
      this.open--
      for (const { id } of programs) this.unanswered.delete(id)
      told()
    }
    for (let i = 0; i < programs.length; i++) {
      const together = [programs[i]]
      while (programs[i + 1]?.connection === 'pipelined' && programs[i + 1].at === together[0].at) together.push(programs[++i])
      const left = together[0].at - (performance.now() - began)
      if (left > 0.5) await sleep(left)
      while (this.open >= MOST_OPEN && together[0].connection !== 'pipelined') await sleep(2)
      this.open++
      const sent = this.#send(together, used).then(() => ended(together))
      sent.catch(() => {})
      all.push(sent)
    }
    const late = sleep(PATIENCE_MS, 'late', { ref: false })
    if (await Promise.race([Promise.all(all), late]) === 'late') throw new Error(`programs have not been answered: ${[...this.unanswered].join(', ')}`)
  }

  async #send (together, used) {
    const [first] = together
    const connection = first.connection === 'pipelined' ? this.#same(used.get(first.behind)) : this.#connect(first.connection)
    for (const { id } of together) {
      used.set(id, connection)
      this.unanswered.add(id)
    }
    const to = await connection
    const answers = together.map(() => new Promise((resolve) => to.waiting.push(resolve)))
    const moment = to.write(together.map(headOf).join(''))
    for (const { id } of together) this.sent.set(id, { ...moment, parts: [] })
    if (first.body) await this.#sendBody(first, to)
    if (first.abandon !== undefined) return this.#abandon(first, to)
    await Promise.all(answers)
    if (to.waiting.length > 0) return
    if (first.connection === 'new') to.socket.destroy()
    else to.idle = true
  }

  /** The connection of the request before, unless that has ended with its connection. */
  async #same (before) {
    const connection = await before
    return connection.socket.destroyed ? this.#connect('kept') : connection
  }

  async #connect (kind) {
    const idle = kind === 'kept' && this.connections.find((each) => each.idle && !each.socket.destroyed)
    const connection = idle || new Connection(this.port)
    connection.idle = false
    if (!idle) this.connections.push(connection)
    await connection.opened
    return connection
  }

  async #sendBody ({ id, body }, connection) {
    const began = performance.now()
    for (const ms of body.parts) {
      await sleep(Math.max(0, ms - (performance.now() - began)))
      this.sent.get(id)?.parts.push(connection.write(PART))
    }
  }

  async #abandon ({ id, abandon }, connection) {
    await sleep(abandon)
    this.sent.get(id).left = now()
    connection.socket.destroy()
  }

  close () {
    for (const { socket } of this.connections) socket.destroy()
  }
}

function headOf ({ id, body }) {
  const length = body ? `content-length: ${body.parts.length * PART.length}\r\n` : ''
  return `${body ? 'POST' : 'GET'} /p/x${id} HTTP/1.1\r\nhost: x\r\n${length}\r\n`
}

module.exports = { Client }
