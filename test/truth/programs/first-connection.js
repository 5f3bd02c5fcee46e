'use strict'

// The very first requests of a server, all at once, which wait for a connection
// that the first of them opens, and share it.

const { Pool, startEchoServer } = require('../pool')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'first requests, lazy connection',
  file: __filename,
  // Whom a shared connection resumes is known through promises only.
  reported: ['events'],
  /** @returns {Promise<NodeJS.ProcessEnv>} */
  async prepare () {
    const { server, port } = await startEchoServer()
    server.unref() // With its channel it lives as long as the harness.
    server.channel?.unref()
    return { TRUTH_PORT: String(port) }
  },
  async drive (client) {
    const connections = await Promise.all(Array.from({ length: 4 }, () => client.connect()))
    await Promise.all(connections.map((connection, i) => connection.get(`/pooled/r${i}`)))
  }
}

/** @type {Promise<Pool> | undefined} */
let opening

async function pooled (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  opening ??= Pool.connect(Number(process.env.TRUTH_PORT))
  source.leave()
  const pool = await opening
  const sentNs = await pool.asked(10)
  const answer = witness.enter('answer', 'tcp_read', 'source', sentNs)
  spin(2)
  // How a connection is opened is Node's own business; nothing here is compiled yet.
  witness.add({ ends: true, components: ['latency_ns'] })
  witness.finish(response, answer, ['source', 'answer'])
}

if (require.main === module) serve({ pooled }, { onStop: () => opening?.then((pool) => pool.close()) })
