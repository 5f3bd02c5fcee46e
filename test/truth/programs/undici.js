'use strict'

// undici's Pool of one connection that is kept alive: a question awaited, and
// two, the second asked in the first's callback.

const { spawn } = require('node:child_process')
const path = require('node:path')
const { Pool } = require('undici')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'undici, keep-alive',
  file: __filename,
  // Whom a shared connection resumes is known through promises; by a callback,
  // through a patched V8 only.
  reported: ['events', 'promises'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/awaited', 5)
    for (const connection of connections) await connection.get(`/callbacks/w${connections.indexOf(connection)}`)
    for (const kind of ['awaited', 'callbacks']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map(async (connection, i) => {
          await client.sleep(5 * i)
          await connection.get(`/${kind}/r${round}x${i}`)
        }))
      }
    }
  }
}

async function main () {
  const backend = spawn(process.execPath, [path.join(__dirname, '../http-backend.js')],
    { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { port } = await new Promise((resolve) => backend.once('message', resolve))
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 1 })

  async function awaited (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    const asked = pool.request({ method: 'GET', path: warm ? '/0' : '/8' })
    source.leave()
    const { body } = await asked
    const sentNs = Number(await body.text())
    const answer = witness.enter('answer', 'tcp_read', 'source', sentNs)
    spin(warm ? 0 : 2)
    witness.finish(response, answer, ['source', 'answer'])
  }

  function ask (ms, callback) {
    pool.request({ method: 'GET', path: `/${ms}` }, (_, answered) => {
      let text = ''
      answered.body.on('data', (data) => { text += data })
      answered.body.on('end', () => callback(Number(text)))
    })
  }
  function callbacks (witness, request, response) {
    const ms = request.url.includes('/w') ? 0 : 8
    const source = witness.enter('source', 'tcp_read', null)
    ask(ms, (firstSent) => {
      const first = witness.enter('first answer', 'tcp_read', 'source', firstSent)
      ask(ms, (secondSent) => {
        const second = witness.enter('second answer', 'tcp_read', 'first answer', secondSent)
        spin(ms / 4)
        witness.finish(response, second, ['source', 'first answer', 'second answer'])
      })
      spin(ms / 4)
      first.leave()
    })
    source.leave()
  }
  serve({ awaited, callbacks }, { onStop: () => { pool.destroy(); backend.disconnect() } })
}

if (require.main === module) main()
