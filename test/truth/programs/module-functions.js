'use strict'

// Functions of a module, made for no request, given to a timer, to a promise
// and to bind(): what they run for is known by how they were registered.

const { Pool } = require('../pool')
const { dueAfter, serve, spin } = require('../witness')

module.exports = {
  name: 'functions of a module',
  file: __filename,
  // bind() and then() on a shared connection.
  reported: ['events', 'promises'],
  async drive (client) {
    const connections = await client.connectWarm(3, '/timed', 10)
    for (const kind of ['timed', 'then', 'bound']) {
      for (let round = 0; round < 4; round++) {
        await Promise.all(connections.map(async (connection, i) => {
          await client.sleep(10 * i)
          await connection.get(`/${kind}/r${round}x${i}`)
        }))
      }
    }
  }
}

// The state of the request is an argument: no closure.
function finish (type, { witness, request, response, ready }) {
  const last = witness.enter('last', type, 'source', ready)
  spin(request.url.includes('/w') ? 0 : 3)
  witness.finish(response, last, ['source', 'last'])
}
function onTimer (state) {
  finish('timer', state)
}
function onAnswer (state) {
  finish('tcp_read', state)
}
function onBoundAnswer (sentNs) {
  this.ready = sentNs
  finish('tcp_read', this)
}
function withState (state, sentNs) {
  state.ready = sentNs
  return state
}

async function main () {
  const pool = await Pool.open()
  function timed (witness, request, response) {
    const source = witness.enter('source', 'tcp_read', null)
    const ms = request.url.includes('/w') ? 1 : 15
    setTimeout(onTimer, ms, { witness, request, response, ready: dueAfter(ms) })
    source.leave()
  }
  function then (witness, request, response) {
    const source = witness.enter('source', 'tcp_read', null)
    const state = { witness, request, response, ready: null }
    pool.asked(25).then((sentNs) => withState(state, sentNs)).then(onAnswer)
    source.leave()
  }
  function bound (witness, request, response) {
    const source = witness.enter('source', 'tcp_read', null)
    pool.ask(25, onBoundAnswer.bind({ witness, request, response, ready: null }))
    source.leave()
  }
  serve({ timed, then, bound }, { onStop: () => pool.close() })
}

if (require.main === module) main()
