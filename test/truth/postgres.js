'use strict'

// pg's pool of one connection to a database of our own, which speaks as
// PostgreSQL does: a query is a number of milliseconds, its answer when it left.

const { spawn } = require('node:child_process')
const path = require('node:path')
const pg = require('pg')
const { now } = require('./witness')

class Postgres {
  /** @returns {Promise<Postgres>} connected */
  static async open () {
    const backend = spawn(process.execPath, [path.join(__dirname, 'postgres-backend.js')],
      { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const { port } = await new Promise((resolve) => backend.once('message', resolve))
    const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'truth', database: 'truth', max: 1, idleTimeoutMillis: 0 })
    const postgres = new Postgres(backend, pool)
    await pool.query('0')
    return postgres
  }

  constructor (backend, pool) {
    this.backend = backend
    this.pool = pool
    this.waiting = []
    /** When the read began that runs now, ns. */
    this.readNs = 0
    pool.on('connect', (client) => client.connection.stream.prependListener('data', () => { this.readNs = now() }))
    pool.on('acquire', () => this.waiting.shift()?.())
  }

  /** @returns {boolean} whether who asks now need not wait for the connection */
  get free () {
    return this.pool.idleCount > 0 && this.pool.waitingCount === 0
  }

  /**
   * Asks by pool.query(). If another request has the connection, its return, in that one's event,
   * is where this one asks: a step of its own.
   * @param {import('./witness').Witness} witness
   * @param {string[]} steps of the critical path so far; the step is added
   * @param {number} ms until the answer
   * @param {(error: Error, result: any) => void} [callback]
   * @returns {any} a promise without a callback
   */
  query (witness, steps, ms, callback) {
    const { free } = this
    this.waiting.push(() => {
      if (free) return
      const name = `asking ${steps.length}`
      witness.enter(name, 'tcp_read', steps.at(-1) ?? null).leave()
      steps.push(name)
    })
    return this.pool.query(String(ms), callback)
  }

  close () {
    this.pool.end()
    this.backend.disconnect()
  }
}

/** @returns {number} when an answer left, ns */
function sentNs ({ rows }) {
  return Number(rows[0].sent)
}

module.exports = { Postgres, sentNs }
