'use strict'

// The program of known truth that asks every protocol: how it is driven.

const path = require('node:path')
const { PROTOCOLS } = require('./clients')
const { SPIN, SPIN_AFTER, STAGGER } = require('./times')

const ROUNDS = 3
/** A run has not as many questions. */
const MARKERS = 4096
const SHARING = 3
const CONNECTIONS = ['new', 'kept', 'pooled']
const LOOPS = ['idle', 'busy']

/**
 * @param {import('./servers').Servers} servers
 * @param {{ only?: string[], inspect?: (out: string, result: any) => any }} options
 */
function programOf (servers, { only, inspect } = {}) {
  const names = Object.keys(servers.places).filter((name) => !only || only.includes(name))
  let spun = 0
  return {
    name: 'protocols',
    file: path.join(__dirname, 'server.js'),
    prepare: () => ({
      PROTOCOL_PLACES: JSON.stringify(Object.fromEntries(names.map((name) => [name, servers.places[name]]))),
      PROTOCOL_MARKERS: String(MARKERS * servers.runs++)
    }),
    async drive (client) {
      const sharing = []
      for (let i = 0; i < SHARING; i++) sharing.push(await client.connect())
      const spinner = await client.connect()
      const spin = (ms = SPIN) => spinner.get(`/spin/ms${ms}/x${spun++}`)
      for (let i = 0; i < 10; i++) await spin(i)
      for (const name of names) await drive(client, name, sharing, spin)
    },
    inspect
  }
}

async function drive (client, name, sharing, spin) {
  await warm(name, sharing)
  for (const connection of CONNECTIONS) {
    for (const loop of LOOPS) {
      for (let round = 0; round < ROUNDS; round++) {
        const asking = connection === 'pooled' ? sharing : sharing.slice(0, 1)
        const asked = asking.map(async (each, i) => {
          await client.sleep(STAGGER * i)
          await each.get(`/ask/${name}/${connection}/${loop}/r${round}x${i}`)
        })
        const computed = loop === 'busy' && client.sleep(SPIN_AFTER).then(() => spin())
        await Promise.all([...asked, computed])
        await client.sleep(STAGGER)
      }
    }
  }
}

/** Code is compiled, and each pool has the connections that it needs. */
async function warm (name, sharing) {
  for (const connection of CONNECTIONS) {
    for (let round = 0; round < 2; round++) {
      const asking = connection === 'pooled' ? sharing : sharing.slice(0, 1)
      await Promise.all(asking.map((each, i) => each.get(`/ask/${name}/${connection}/idle/w${round}x${i}`)))
    }
  }
}

module.exports = { CONNECTIONS, LOOPS, PROTOCOLS, programOf }
