'use strict'

// Starts what the programs ask, once: the real servers, those of ours, and the proxies before them.

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { plainEnvironment } = require('../../benchmarks/apps/service')
const { PROTOCOLS } = require('./clients')
const { STARTERS, missing } = require('./databases')

class Servers {
  constructor () {
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-protocols-'))
    // Those that run as other users pass through it.
    fs.chmodSync(this.root, 0o711)
    this.services = []
    /** Why a protocol is not there. @type {Record<string, string>} */
    this.missing = {}
    /** Runs of the program: each has markers of its own. */
    this.runs = 0
    /** Where the proxy of each protocol is. @type {Record<string, any>} */
    this.places = {}
  }

  async start () {
    this.own = helper('own-servers.js')
    this.proxy = helper('proxy.js')
    const names = Object.keys(STARTERS).filter((name) => !this.#isMissing(name))
    const started = Promise.all(names.map(async (name) => {
      const { service, ...where } = await STARTERS[name](this.root)
      this.services.push(service)
      return [name, where]
    }))
    const [ours] = await once(this.own, 'message')
    const real = Object.fromEntries(await started)
    const ways = Object.entries(PROTOCOLS).filter(([, { server }]) => server in real || server in ours).map(([name, { server, datagrams }]) => {
      const unix = name.endsWith('-unix')
      const to = ours[server] ? { port: ours[server] } : unix ? real[server].local : real[server].address
      return { name, to: { host: to.path ? undefined : '127.0.0.1', ...to }, path: unix ? path.join(this.root, `${name}.sock`) : undefined, datagrams }
    })
    this.proxy.send({ open: ways })
    const [ports] = await once(this.proxy, 'message')
    this.places = Object.fromEntries(Object.entries(ports).map(([name, at]) => [name, typeof at === 'number' ? { port: at } : { path: at }]))
  }

  #isMissing (name) {
    const why = missing(name)
    if (!why) return false
    for (const [protocol, { server }] of Object.entries(PROTOCOLS)) if (server === name) this.missing[protocol] = why
    return true
  }

  /** @returns {Promise<import('./proxy').Link[]>} what the proxy has seen; what it could not read, the servers have */
  async links () {
    const [links, read] = await Promise.all([this.proxy, this.own].map(async (child) => {
      child.send('tell')
      return (await once(child, 'message'))[0]
    }))
    for (const { marker, ports } of read) {
      const link = links.findLast((link) => link.ports === ports)
      if (link && !link.asked.some(({ markers }) => markers.includes(marker))) link.hidden = [...link.hidden ?? [], marker]
    }
    return links
  }

  async stop () {
    this.proxy?.disconnect()
    this.own?.disconnect()
    await Promise.all(this.services.map((service) => service.stop()))
    fs.rmSync(this.root, { recursive: true, force: true })
  }
}

function helper (file) {
  const child = fork(path.join(__dirname, file), { execArgv: [], env: plainEnvironment() })
  try {
    os.setPriority(child.pid ?? 0, os.constants.priority.PRIORITY_HIGHEST)
  } catch {} // Without it, more is tried again.
  return child
}

module.exports = { Servers }
