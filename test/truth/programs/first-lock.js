'use strict'

// The very first requests of a server, all at once, of which each reads a file
// while it holds a lock: nothing is shared but the lock.

const fs = require('node:fs')
const { LAST_TYPE, enterWholeFile } = require('../whole-file')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'first requests, lock',
  file: __filename,
  // Who resolves a promise is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await Promise.all(Array.from({ length: 3 }, () => client.connect()))
    await Promise.all(connections.map((connection, i) => connection.get(`/locked/r${i}`)))
  }
}

class Lock {
  #held = false
  #waiting = []

  /** @returns {Promise<boolean>} whether somebody else held it */
  async acquire () {
    if (this.#held) return new Promise((resolve) => this.#waiting.push(() => resolve(true)))
    this.#held = true
    return false
  }

  release () {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#held = false
  }
}

const lock = new Lock()

async function locked (witness, request, response) {
  let step = witness.enter('source', 'tcp_read', null)
  const path = ['source']
  const acquiring = lock.acquire()
  step.leave()
  if (await acquiring) {
    step = witness.enter('let on', LAST_TYPE, 'source')
    path.push('let on')
  }
  const reading = new Promise((resolve) => fs.readFile(__filename, resolve))
  spin(2)
  step.leave()
  await reading
  const file = enterWholeFile(witness, /** @type {string} */ (path.at(-1)))
  spin(2)
  // Nothing here is compiled yet.
  witness.add({ components: ['latency_ns'] })
  lock.release()
  witness.finish(response, file.step, [...path, ...file.path])
}

if (require.main === module) serve({ locked })
