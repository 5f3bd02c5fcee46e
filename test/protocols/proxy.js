'use strict'

// The delay proxy, a process of its own: it stands between the recorded server and each server that is asked, hands both
// directions on as they are, and holds what the servers answer for DELAY ms. It keeps when each question came and when
// each answer left (CLOCK_MONOTONIC, ns), and which marker (secrets.js) a question held, if it can be read.

const dgram = require('node:dgram')
const net = require('node:net')
const { now } = require('../random/clock')
const { markersIn } = require('./secrets')
const { DELAY, TOGETHER } = require('./times')

/**
 * @typedef {object} Link one connection, or one socket that sends datagrams
 * @property {string} proxy which one
 * @property {number} opened
 * @property {string} ports from which its server is asked, and which that is
 * @property {{ at: number, markers: string[] }[]} asked one for each part that came
 * @property {{ came: number, from: number, to: number }[]} answered came: its last bytes from the server; it left between `from` and `to`
 * @property {string[]} [hidden] markers that its server has read, and no proxy can
 */

/** @type {Link[]} */
const links = []

class Holder {
  /** @param {Link} link @param {(bytes: Buffer) => void} write */
  constructor (link, write) {
    this.link = link
    this.write = write
    this.batch = null
  }

  /** @param {Buffer} bytes of the server */
  hold (bytes) {
    const came = now()
    if (this.batch && came - this.batch.first < TOGETHER * 1e6) {
      this.batch.came = came
      return this.batch.parts.push(bytes)
    }
    const batch = { first: came, came, parts: [bytes] }
    this.batch = batch
    setTimeout(() => {
      const from = now()
      this.write(Buffer.concat(batch.parts))
      this.link.answered.push({ came: batch.came, from, to: now() })
    }, DELAY)
  }
}

/** @param {string} proxy @returns {Link} */
function openLink (proxy) {
  const link = { proxy, opened: now(), ports: '', asked: [], answered: [] }
  links.push(link)
  return link
}

function serveStreams (name, to) {
  return net.createServer({ noDelay: true }, (client) => {
    const link = openLink(name)
    const server = net.connect(to).on('connect', () => { link.ports = `${server.localPort} ${server.remotePort}` })
    if (!to.path) server.setNoDelay(true)
    const holder = new Holder(link, (bytes) => client.destroyed || client.write(bytes))
    let tail = ''
    client.on('data', (bytes) => {
      const at = now()
      server.write(bytes)
      // A marker may come in two parts.
      const text = tail + bytes.toString('latin1')
      link.asked.push({ at, markers: markersIn(text) })
      tail = text.slice(-40)
    })
    server.on('data', (bytes) => holder.hold(bytes))
    for (const [one, other] of [[client, server], [server, client]]) {
      one.on('error', () => {}).on('close', () => setTimeout(() => other.destroy(), one === server ? 2 * DELAY : 0))
    }
  })
}

/** @returns {dgram.Socket} sends at once, and not when an address has been looked up that is one */
const socketOfDatagrams = () => dgram.createSocket({ type: 'udp4', lookup: (host, options, callback) => callback(null, host, 4) })

/** @returns {Promise<number>} its port */
async function serveDatagrams (name, to) {
  const socket = socketOfDatagrams()
  const known = new Map()
  socket.on('message', (bytes, { port, address }) => {
    const at = now()
    let way = known.get(port)
    if (!way) {
      const link = openLink(name)
      const holder = new Holder(link, (answer) => socket.send(answer, port, address))
      // Datagrams stay apart.
      way = { link, out: socketOfDatagrams().on('message', (answer) => { holder.batch = null; holder.hold(answer) }) }
      known.set(port, way)
    }
    way.link.asked.push({ at, markers: markersIn(bytes.toString('latin1')) })
    way.out.send(bytes, to.port, '127.0.0.1')
  })
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(undefined)))
  return socket.address().port
}

/** @param {{ name: string, to: { port?: number, path?: string }, path?: string, datagrams?: boolean }[]} ways */
async function open (ways) {
  const ports = {}
  for (const { name, to, path, datagrams } of ways) {
    if (datagrams) {
      ports[name] = await serveDatagrams(name, to)
      continue
    }
    const server = serveStreams(name, to)
    await new Promise((resolve) => path ? server.listen(path, () => resolve(undefined)) : server.listen(0, '127.0.0.1', () => resolve(undefined)))
    ports[name] = path ?? /** @type {any} */ (server.address()).port
  }
  return ports
}

process.on('message', async (/** @type {any} */ message) => {
  if (message.open) process.send?.(await open(message.open))
  else process.send?.(links)
})
process.once('disconnect', () => process.exit())
