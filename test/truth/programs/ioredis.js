'use strict'

// ioredis and a Redis of our own: two questions on the one connection that all
// requests share, awaited, and by callbacks.

const { spawn, spawnSync } = require('node:child_process')
const Redis = require('ioredis')
const { freePort } = require('../../../benchmarks/apps/service')
const { serve, spin } = require('../witness')

const SERVER = 'redis-server'

module.exports = {
  name: 'ioredis',
  file: __filename,
  // ioredis resolves a promise for either; whose it is, is known through promises.
  reported: ['events'],
  /** @returns {string | undefined} why it cannot run here */
  missing () {
    return spawnSync(SERVER, ['--version']).error ? `${SERVER} is missing: install the Debian package of that name` : undefined
  },
  async drive (client) {
    const connections = await client.connectWarm(3, '/awaited', 10)
    for (const connection of connections) await connection.get(`/callbacks/w${connections.indexOf(connection)}`)
    for (const kind of ['awaited', 'callbacks']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map((connection, i) => connection.get(`/${kind}/r${round}x${i}`)))
      }
    }
  }
}

async function main () {
  const port = await freePort()
  // Slow answers: DEBUG SLEEP holds the server up.
  const server = spawn(SERVER, ['--port', port, '--bind', '127.0.0.1', '--save', '', '--enable-debug-command', 'yes'], { stdio: 'ignore' })
  process.once('exit', () => server.kill('SIGKILL'))
  const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20, maxRetriesPerRequest: null })
  redis.on('error', () => {}) // It is not up yet.
  await redis.set('key', 'value')

  async function awaited (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    const asked = redis.call('DEBUG', 'SLEEP', warm ? 0 : 0.008)
    source.leave()
    await asked
    const first = witness.enter('first answer', 'tcp_read', 'source')
    spin(warm ? 0 : 3)
    const askedAgain = redis.get('key')
    first.leave()
    await askedAgain
    const second = witness.enter('second answer', 'tcp_read', 'first answer')
    spin(warm ? 0 : 3)
    witness.finish(response, second, ['source', 'first answer', 'second answer'])
  }

  function callbacks (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    redis.set('key', 'value', () => {
      const first = witness.enter('first answer', 'tcp_read', 'source')
      spin(warm ? 0 : 3)
      redis.get('key', () => {
        const second = witness.enter('second answer', 'tcp_read', 'first answer')
        spin(warm ? 0 : 3)
        witness.finish(response, second, ['source', 'first answer', 'second answer'])
      })
      first.leave()
    })
    source.leave()
  }
  serve({ awaited, callbacks }, { onStop: () => { redis.disconnect(); server.kill() } })
}

if (require.main === module) main()
