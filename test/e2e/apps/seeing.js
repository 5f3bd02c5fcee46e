'use strict'

// Says what an application can see of itself and of Node's objects. Recorded or
// not, it is the same.

const http = require('node:http')
const http2 = require('node:http2')
const net = require('node:net')
const { EventEmitter } = require('node:events')
const { inspect, isDeepStrictEqual, promisify } = require('node:util')
const { serving } = require('./serving')

const BARE = /^(?:EDGEWISE_|NODE_OPTIONS|npm_)/
const made = []
const warnings = []
process.on('warning', (warning) => warnings.push(warning.name))
for (let i = 0; i < 9; i++) process.on('exit', () => {})

/** Frames of the application's and Node's, without places. */
const framesOf = (error) => error.stack.split('\n').slice(1).map((line) => line.trim().replace(/\(?(?:\/|node:|file:).*$/, ''))

const namesOf = (object) => Reflect.ownKeys(object).map(String)

function countsOf (emitter) {
  return Object.fromEntries(emitter.eventNames().map((name) => [String(name),
    [emitter.listenerCount(name), emitter.listeners(name).map((listener) => listener.name), emitter.listeners(name).map((listener) => listener.length)]]))
}

const functions = {
  setTimeout,
  setInterval,
  setImmediate,
  connect: net.Socket.prototype.connect,
  end: http.ServerResponse.prototype.end,
  on: net.Server.prototype.on,
  load: require('node:module').prototype.load
}

function see (request, response) {
  const { socket } = request
  const promise = made.at(-1)
  const shown = { showHidden: true, depth: 0, breakLength: Infinity }
  return {
    promise: inspect(promise, shown),
    promises: isDeepStrictEqual({ p: made.at(-1) }, { p: made.at(-2) }),
    keys: [promise, request, response, socket, server, socket._handle].map(namesOf),
    prototypes: [http.ServerResponse, http.OutgoingMessage, http.Server, net.Server, net.Socket, EventEmitter, http2.Http2ServerResponse].map((one) => namesOf(one.prototype)),
    inherited: [http.ServerResponse, net.Server].map((one) => { const found = []; for (const name in one.prototype) found.push(name); return found.sort() }),
    functions: Object.entries(functions).map(([name, one]) => [name, one.name, one.length, typeof one, one instanceof Function, namesOf(one), inspect(one)]),
    sleep: promisify(setTimeout) === require('node:timers/promises').setTimeout,
    listeners: [process, socket, request, response, server].map(countsOf),
    global: namesOf(globalThis),
    process: namesOf(process),
    resources: process.getActiveResourcesInfo().sort(),
    environment: Object.keys(process.env).filter((name) => !BARE.test(name)),
    timer: inspect(setTimeout(function later () {}, 0), { depth: 0 }).replace(/\d+/g, ''),
    warnings
  }
}

const server = http.createServer((request, response) => {
  setTimeout(function waiting () {
    const inTimer = framesOf(new Error('in a timer'))
    made.push(Promise.resolve(1))
    setImmediate(() => {
      const inImmediate = framesOf(new Error('in an immediate'))
      let inEnd
      try { response.end(42) } catch (error) { inEnd = framesOf(error) }
      const inConnect = framesOf(failing(() => new net.Socket().connect()))
      const inLoad = framesOf(failing(() => require('./fixtures/throwing')))
      response.end(JSON.stringify({ ...see(request, response), frames: { inTimer, inImmediate, inEnd, inConnect, inLoad } }))
    })
  }, 2)
})

function failing (action) {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('it was to fail')
}

serving(server.listen(0, '127.0.0.1'))
