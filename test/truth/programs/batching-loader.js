'use strict'

// A loader that collects the keys of all requests of a turn, asks the backend
// once, and resolves each request's promise, as DataLoader does.

const { Pool } = require('../pool')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'batching loader',
  file: __filename,
  // Who resolves a promise is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(4, '/load', 10)
    for (let round = 0; round < 5; round++) {
      await Promise.all(connections.map((connection, i) => connection.get(`/load/r${round}x${i}`)))
    }
  }
}

class Loader {
  constructor (pool) {
    this.pool = pool
    this.batch = null
  }

  /** @returns {Promise<number>} when the answer left the backend */
  load (delayMs) {
    return new Promise((resolve) => {
      if (this.batch === null) {
        this.batch = []
        setImmediate(() => this.#ask(delayMs))
      }
      this.batch.push(resolve)
    })
  }

  #ask (delayMs) {
    const batch = /** @type {((sentNs: number) => void)[]} */ (this.batch)
    this.batch = null
    this.pool.ask(delayMs, (sentNs) => {
      for (const resolve of batch) resolve(sentNs)
    })
  }
}

async function main () {
  const pool = await Pool.open()
  const loader = new Loader(pool)
  async function load (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    const loaded = loader.load(warm ? 0 : 10)
    source.leave()
    const sentNs = await loaded
    const answer = witness.enter('answer', 'tcp_read', 'source', sentNs)
    // What a batch asks for its first request is a step of that one alone.
    spin(warm ? 0 : 3)
    witness.add({ ends: true })
    witness.finish(response, answer, ['source', 'answer'])
  }
  serve({ load }, { onStop: () => pool.close() })
}

if (require.main === module) main()
