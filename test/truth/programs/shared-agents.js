'use strict'

// Requests to a backend through agents that keep connections: node:http with
// one socket and a queue, and fetch (undici).

const { spawn } = require('node:child_process')
const http = require('node:http')
const path = require('node:path')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'keep-alive agents',
  file: __filename,
  // Whom fetch resumes is known through promises only.
  reported: ['events'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/agent', 5)
    for (const connection of connections) await connection.get(`/fetch/w${connections.indexOf(connection)}`)
    for (const kind of ['agent', 'fetch']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map((connection, i) => connection.get(`/${kind}/r${round}x${i}`)))
      }
    }
  }
}

async function main () {
  const backend = spawn(process.execPath, [path.join(__dirname, '../http-backend.js')],
    { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { port } = await new Promise((resolve) => backend.once('message', resolve))
  const one = new http.Agent({ keepAlive: true, maxSockets: 1 })
  // How often the kernel hands over an answer in parts is not the program's.
  const told = { ends: true, components: ['latency_ns'] }

  function agent (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    http.get({ port, host: '127.0.0.1', agent: one, path: warm ? '/0' : '/8' }, (answer) => {
      answer.resume()
      answer.on('end', () => {
        const last = witness.enter('answer', 'tcp_read', 'source')
        spin(warm ? 0 : 2)
        witness.add(told)
        witness.finish(response, last, ['source', 'answer'])
      })
    })
    source.leave()
  }
  async function fetched (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    const asked = fetch(`http://127.0.0.1:${port}/${warm ? 0 : 8}`)
    source.leave()
    await (await asked).text()
    const last = witness.enter('answer', 'tcp_read', 'source')
    spin(warm ? 0 : 2)
    witness.add(told)
    witness.finish(response, last, ['source', 'answer'])
  }
  serve({ agent, fetch: fetched }, { onStop: () => { one.destroy(); backend.disconnect(); setTimeout(process.exit, 100).unref() } })
}

if (require.main === module) main()
