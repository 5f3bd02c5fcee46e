'use strict'

// An addon that works on the thread pool and calls back without an async
// resource: two pieces of work, the second queued in the first's callback.

const { buildAddon } = require('../../build-addon')
const { serve, spin } = require('../witness')

module.exports = {
  name: 'addon without async resource',
  file: __filename,
  // Nothing but the function itself says which request a callback is for.
  reported: ['events', 'promises'],
  /**
   * @param {string} node that runs it
   * @returns {Promise<NodeJS.ProcessEnv>}
   */
  async prepare (node) {
    return { TRUTH_ADDON: await buildAddon('test/addon/work.cc', node) }
  },
  async drive (client) {
    const connections = await client.connectWarm(3, '/work', 10)
    for (let round = 0; round < 5; round++) {
      await Promise.all(connections.map(async (connection, i) => {
        await client.sleep(4 * i)
        await connection.get(`/work/r${round}x${i}`)
      }))
    }
  }
}

function main () {
  const { queueWork } = require(process.env.TRUTH_ADDON ?? '')
  function work (witness, request, response) {
    const warm = request.url.includes('/w')
    const source = witness.enter('source', 'tcp_read', null)
    queueWork(warm ? 0 : 10, (firstWorked) => {
      const first = witness.enter('first', 'thread_pool', 'source', firstWorked)
      spin(warm ? 0 : 2)
      queueWork(warm ? 0 : 15, (secondWorked) => {
        const second = witness.enter('second', 'thread_pool', 'first', secondWorked)
        spin(warm ? 0 : 2)
        witness.finish(response, second, ['source', 'first', 'second'])
      })
      first.leave()
    })
    source.leave()
  }
  serve({ work })
}

if (require.main === module) main()
