'use strict'

// The recorded server. GET /ask/PROTOCOL/CONNECTION/LOOP/NUMBER asks the protocol's server, and says when what ran:
//   new     one question, on a connection of its own
//   kept    two, one after the other, on a connection that was there
//   pooled  two at once, on connections that other requests use as well
// GET /spin/msMS/NUMBER computes.

const { serve, spin } = require('../truth/witness')
const { PROTOCOLS } = require('./clients')
const { markerOf } = require('./secrets')

/** What clients wait for in between, and is no answer. */
const BETWEEN = ['immediate', 'thread_pool', 'write', 'connect']
/** What a handler computes at each answer, ms. */
const WORK = 1

/** Where each protocol's proxy listens. @type {Record<string, any>} */
const places = JSON.parse(process.env.PROTOCOL_PLACES ?? '{}')
const used = Object.entries(PROTOCOLS).filter(([name]) => name in places)

const connections = Object.fromEntries(used.map(([name, { open, keptClient }]) => [name, {
  new: keptClient && open.new(places[name]),
  kept: open.kept(places[name]),
  pooled: open.pooled(places[name])
}]))

let serial = Number(process.env.PROTOCOL_MARKERS ?? 0)

/** @returns {number} how long this loop has slept, ns */
const slept = () => Math.round(performance.eventLoopUtilization().idle * 1e6)

class Asking {
  constructor (witness, request) {
    const [, , name, connection, , number] = request.url.split('/')
    this.name = name
    this.connection = connection
    this.number = number
    this.protocol = PROTOCOLS[name]
    this.witness = witness
    /** @type {string[]} */
    this.markers = []
    /** @type {number[]} at the end of a step, and at the begin of the next */
    this.sleeps = []
    witness.add({ protocol: name, connection, markers: this.markers, sleeps: this.sleeps, between: BETWEEN })
  }

  question (which, on = connections[this.name][this.connection]) {
    const marker = markerOf(serial++)
    this.markers.push(marker)
    return this.protocol.ask[which](on, marker)
  }

  enter (name, after) {
    const step = this.witness.enter(name, this.protocol.type, after)
    this.sleeps.push(slept())
    spin(this.number.startsWith('w') ? 0 : WORK)
    return step
  }

  leave (step) {
    this.sleeps.push(slept())
    step.leave()
  }

  async new (response, source) {
    const { open, close, keptClient } = this.protocol
    const connection = keptClient ? connections[this.name].new : open.new(places[this.name])
    const answer = this.question(0, connection)
    this.leave(source)
    await answer
    // What its client does until then is its own business.
    this.witness.add({ ends: true })
    this.witness.finish(response, this.enter('answer', 'source'), ['source', 'answer'])
    if (!keptClient) setImmediate(() => close(connection))
  }

  async kept (response, source) {
    const answer = this.question(0)
    this.leave(source)
    await answer
    const first = this.enter('first answer', 'source')
    const again = this.question(1)
    this.leave(first)
    await again
    this.witness.finish(response, this.enter('second answer', 'first answer'), ['source', 'first answer', 'second answer'])
  }

  async pooled (response, source) {
    const answers = Promise.all([this.question(0), this.question(1)])
    this.leave(source)
    await answers
    this.witness.finish(response, this.enter('answers', 'source'), ['source', 'answers'])
  }
}

serve({
  ask: (witness, request, response) => {
    const source = witness.enter('source', 'tcp_read', null)
    const asking = new Asking(witness, request)
    asking[asking.connection](response, source).catch((error) => {
      console.error(asking.name, asking.connection, error)
      response.destroy()
    })
  },
  spin: (witness, request, response) => {
    const source = witness.enter('source', 'tcp_read', null)
    spin(Number(request.url.split('/')[2].slice('ms'.length)))
    witness.finish(response, source, ['source'])
  }
}, {
  onStop: () => {
    for (const [name, { close, keptClient }] of used) {
      const { new: one, kept, pooled } = connections[name]
      for (const connection of [keptClient && one, kept, pooled]) if (connection) close(connection)
    }
  }
})
