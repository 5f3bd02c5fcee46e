'use strict'

// The ways into JavaScript that a server meets, one function each: it calls `done` in the callback of that way, DELAY ms
// after it was called.
//   type   of the event that the callback is, or types
//   ready  what its ready time may be known by
//   by     who knows when it was ready: `partner` (another process), `timer` (DELAY after the request), `itself` (tells
//          it to `done`), `at once`; none: only its begin is known
//   cause  `none`: its registration is not observed
//   since  Node's major version that has it first
//   once   there is no use in having it wait behind another request

const { fork } = require('node:child_process')
const dgram = require('node:dgram')
const dns = require('node:dns')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { once } = require('node:events')
const { DELAY } = require('./times')

let ports
let partner
/** @returns {Promise<{ from: number, to: number }[]>} what the partner did, and when */
async function partnersTimes () {
  if (!partner) return []
  partner.send('tell')
  return (await once(partner, 'message'))[0]
}

async function preparePartner () {
  if (partner) return
  partner = fork(path.join(__dirname, 'partner.js'), { execArgv: [], env: {} });
  [ports] = await once(partner, 'message')
  partner.unref()
  partner.channel.unref()
  process.on('exit', () => partner.kill())
}

let asked = 0
function resolverOf (port, options = {}) {
  const resolver = new dns.Resolver({ timeout: 3000, tries: 1, ...options })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}
const named = (begin) => ({ prepare: preparePartner, type: 'dns', ready: ['observed'], by: 'partner', begin })
const name = (label = 'host') => `${label}${asked++}.test`

/**
 * c-ares waits for 280 ms, and some virtual machines forget the pages that are not touched for so long: what runs
 * between the event's begin and its callback takes 4 ms then. Here most of it runs all the time.
 * @returns {() => void} ends it
 */
function keepingWarm () {
  const resolver = resolverOf(ports.names)
  const timer = setInterval(() => resolver.resolve4(name('unknown'), () => {}), 5)
  return () => clearInterval(timer)
}

/** Of work that takes how long it takes. */
const job = (type, begin) => ({ type, ready: ['observed', 'upper-bound', 'completed'], once: true, begin })
const timed = (begin) => ({ type: 'timer', ready: ['due'], by: 'timer', begin })

/** Of a delayed task of V8's platform: a timer of libuv's, beside Node's own. */
const delayed = (begin) => ({ type: ['timer', 'message'], ready: ['due', 'observed', 'upper-bound'], by: 'timer', cause: 'none', since: 22, begin })
const waitFor = (ms) => Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms).value.then(() => {})

/** A worker that calls back DELAY ms after each message. */
function workerOf (code) {
  const { Worker } = require('node:worker_threads')
  return new Worker(`const { parentPort, workerData, BroadcastChannel } = require('node:worker_threads'); const DELAY = ${DELAY}
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DELAY); ${code}`, { eval: true, execArgv: [], env: {} })
}

const PSK = { ciphers: 'PSK-AES128-GCM-SHA256:PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }
let tlsPort
/** A TLS server of this very process, without certificates. */
async function prepareTls () {
  if (tlsPort) return
  const server = require('node:tls').createServer({ ...PSK, pskCallback: () => Buffer.alloc(16, 1) }, (socket) =>
    socket.on('error', () => {}).on('data', (data) => setTimeout(() => socket.write(data), DELAY)))
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  tlsPort = server.address().port
}
function tlsConnection (connected) {
  const socket = require('node:tls').connect({ ...PSK, port: tlsPort, host: '127.0.0.1', checkServerIdentity: () => undefined, pskCallback: () => ({ psk: Buffer.alloc(16, 1), identity: 'x' }) }, () => connected(socket))
  return socket.on('error', connected)
}

let http2Port
async function prepareHttp2 () {
  if (http2Port) return
  const server = require('node:http2').createServer((request, response) => setTimeout(() => response.end('x'), DELAY))
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  http2Port = server.address().port
}

let echoWorker
let broadcaster
const scratch = path.join(os.tmpdir(), `edgewise-ways-${process.pid}`)
const WASM = Buffer.from('0061736d010000000105016000017f030201000707010372756e00000a0601040041000b', 'hex')

const ways = {
  'dns.resolve': named((done) => resolverOf(ports.names).resolve4(name(), done)),
  'dns.promises': named((done) => {
    const resolver = new dns.promises.Resolver({ timeout: 3000, tries: 1 })
    resolver.setServers([`127.0.0.1:${ports.names}`])
    resolver.resolve4(name()).then(() => done(), done)
  }),
  'dns.resolve of an unknown name': named((done) => resolverOf(ports.names).resolve4(name('unknown'), (error) => done(error.code === 'ENOTFOUND' ? null : error))),
  'dns.resolve by TCP': named((done) => resolverOf(ports.names).resolve4(name('truncated'), done)),
  'dns.resolve several': named((done) => {
    const resolver = resolverOf(ports.names)
    Promise.all([1, 2, 3].map(() => new Promise((resolve) => resolver.resolve4(name(), resolve)))).then(() => done())
  }),
  'dns.reverse': named((done) => resolverOf(ports.names).reverse('10.0.0.1', () => done())),
  'dns.resolve without an answer': {
    ...named((done) => {
      const stop = keepingWarm()
      resolverOf(ports.names, { timeout: DELAY }).resolve4(name('silent'), () => {
        done()
        stop()
      })
    }),
    ready: ['due'],
    by: undefined
  },
  'dns.resolve refused': { ...named((done) => resolverOf(1).resolve4(name(), (error) => done(error.code === 'ECONNREFUSED' ? null : error))), ready: ['observed', 'upper-bound'], by: 'at once', once: true },
  'dns.cancel': {
    ...named((done) => {
      const resolver = resolverOf(ports.names)
      let at
      resolver.resolve4(name('silent'), () => done(null, at))
      setTimeout(() => {
        at = Number(process.hrtime.bigint())
        resolver.cancel()
      }, DELAY)
    }),
    ready: ['due'],
    by: 'itself',
    once: true
  },
  'dns.lookup': job('dns', (done) => dns.lookup('localhost', done)),
  'dns.lookupService': job('dns', (done) => dns.lookupService('127.0.0.1', 22, done)),

  setTimeout: timed((done) => setTimeout(done, DELAY)),
  'timers/promises': timed((done) => require('node:timers/promises').setTimeout(DELAY).then(() => done())),
  'AbortSignal.timeout': timed((done) => AbortSignal.timeout(DELAY).addEventListener('abort', () => done())),
  'socket.setTimeout': {
    ...timed((done) => {
      const socket = net.connect(ports.echo, '127.0.0.1', () => socket.setTimeout(DELAY, () => {
        done()
        socket.destroy()
      }))
    }),
    by: undefined, // DELAY after it was connected
    prepare: preparePartner
  },
  'response.setTimeout': {
    ...timed((done, response) => response.setTimeout(DELAY, () => done())),
    once: true
  },
  setImmediate: { type: 'immediate', ready: ['due'], by: 'at once', once: true, begin: (done) => setImmediate(done) },
  'setImmediate after setImmediate': { type: 'immediate', ready: ['due'], by: 'at once', once: true, begin: (done) => setImmediate(() => setImmediate(done)) },

  'a connection that answers': {
    prepare: preparePartner,
    type: 'tcp_read',
    ready: ['observed'],
    by: 'partner',
    begin: (done) => { const socket = net.connect(ports.echo, '127.0.0.1', () => socket.write('x')).on('data', () => { done(); socket.destroy() }) }
  },
  'a Unix socket that answers': {
    prepare: preparePartner,
    type: 'pipe_read',
    ready: ['observed'],
    by: 'partner',
    begin: (done) => { const socket = net.connect(ports.pipe, () => socket.write('x')).on('data', () => { done(); socket.destroy() }) }
  },
  'a datagram': {
    prepare: preparePartner,
    type: 'udp_read',
    ready: ['observed'],
    by: 'partner',
    begin: (done) => { const socket = dgram.createSocket('udp4').on('message', () => { done(); socket.close() }); socket.send('x', ports.datagrams, '127.0.0.1') }
  },
  'a long write': {
    prepare: preparePartner,
    type: 'write',
    ready: ['upper-bound', 'observed'],
    once: true,
    begin: (done) => { const socket = net.connect(ports.late, '127.0.0.1', () => socket.write(Buffer.alloc(16 << 20), () => { done(); socket.destroy() })) }
  },
  'a TLS connection that answers': {
    prepare: prepareTls,
    type: 'tcp_read',
    ready: ['observed'],
    once: true,
    begin: (done) => tlsConnection((socket) => socket.on('data', () => { done(); socket.destroy() }).write('x'))
  },
  'a TLS write': {
    prepare: prepareTls,
    type: ['immediate', 'write'],
    ready: ['due', 'upper-bound', 'observed'],
    once: true,
    begin: (done) => tlsConnection((socket) => socket.write('x', () => { done(); socket.destroy() }))
  },
  'an HTTP/2 answer': {
    prepare: prepareHttp2,
    type: 'tcp_read',
    ready: ['observed'],
    once: true,
    begin: (done) => {
      const session = require('node:http2').connect(`http://127.0.0.1:${http2Port}`)
      session.on('error', done).request({ ':path': '/' }).on('response', () => { done(); session.destroy() }).resume()
    }
  },
  'an HTTP/2 ping': {
    prepare: prepareHttp2,
    type: 'tcp_read',
    ready: ['observed'],
    once: true,
    begin: (done) => {
      const session = require('node:http2').connect(`http://127.0.0.1:${http2Port}`)
      session.on('error', done).on('connect', () => session.ping((error) => { done(error); session.destroy() }))
    }
  },
  'a connection closes': {
    prepare: preparePartner,
    type: 'close',
    ready: ['due'],
    once: true,
    begin: (done) => { const socket = net.connect(ports.echo, '127.0.0.1', () => setTimeout(() => socket.destroy(), DELAY)).on('close', () => done()) }
  },

  'fs.readFile': job(['fs_close', 'fs_read'], (done) => fs.readFile(__filename, done)),
  'fs.promises.readFile': job(['fs_close', 'fs_read'], (done) => fs.promises.readFile(__filename).then(() => done(), done)),
  'fs.stat': job('fs_stat', (done) => fs.stat(__filename, done)),
  'fs.stat of no file': job('fs_stat', (done) => fs.stat(scratch + '-none', () => done())),
  'fs.open': job('fs_open', (done) => fs.open(__filename, (error, fd) => { done(error); fs.closeSync(fd) })),
  'fs.readdir': job('fs_readdir', (done) => fs.readdir(__dirname, done)),
  'fs.writeFile': job(['fs_write', 'fs_close'], (done) => fs.writeFile(scratch, 'x', done)),
  'fs.createReadStream': job(['fs_read', 'fs_close'], (done) => fs.createReadStream(__filename).on('close', () => done()).resume()),
  'fs.watch': {
    type: 'fs_event',
    ready: ['observed'],
    begin: (done) => {
      const file = `${scratch}-watched-${asked++}`
      fs.writeFileSync(file, 'x')
      const watcher = fs.watch(file, () => { watcher.close(); done(); fs.rmSync(file, { force: true }) })
      const { exec } = require('node:child_process')
      exec(`sleep ${DELAY / 1000}; echo y >> ${file}`)
    },
    once: true
  },
  'fs.watchFile': {
    type: ['fs_stat'],
    ready: ['observed', 'upper-bound', 'completed'],
    once: true,
    begin: (done) => {
      const file = `${scratch}-polled-${asked++}`
      fs.writeFileSync(file, 'x')
      // The first look may come after a change.
      const changing = setInterval(() => fs.appendFileSync(file, 'y'), DELAY)
      fs.watchFile(file, { interval: DELAY }, () => {
        fs.unwatchFile(file)
        clearInterval(changing)
        done()
        fs.rmSync(file, { force: true })
      })
    }
  },

  'zlib.gzip': job('thread_pool', (done) => require('node:zlib').gzip(Buffer.alloc(1 << 16), done)),
  'crypto.pbkdf2': job('thread_pool', (done) => require('node:crypto').pbkdf2('x', 'y', 20000, 32, 'sha256', done)),
  'crypto.randomBytes': job('thread_pool', (done) => require('node:crypto').randomBytes(16, done)),
  'crypto.generateKeyPair': job('thread_pool', (done) => require('node:crypto').generateKeyPair('ec', { namedCurve: 'P-256' }, done)),
  'crypto.subtle.digest': job('thread_pool', (done) => require('node:crypto').webcrypto.subtle.digest('SHA-256', Buffer.alloc(64)).then(() => done(), done)),

  'a child ends': {
    type: 'child',
    ready: ['observed'],
    once: true,
    begin: (done) => require('node:child_process').spawn('sleep', [String(DELAY / 1000)], { stdio: 'ignore' }).on('exit', () => done())
  },
  'a child writes': {
    type: 'pipe_read',
    ready: ['observed'],
    once: true,
    begin: (done) => require('node:child_process').spawn('sh', ['-c', `sleep ${DELAY / 1000}; echo x; sleep 0.2`]).stdout.once('data', () => done())
  },
  'a signal': {
    prepare: preparePartner,
    type: 'signal',
    ready: ['observed'],
    once: true,
    begin: (done) => {
      process.once('SIGUSR2', () => done())
      require('node:child_process').exec(`sleep ${DELAY / 1000}; kill -USR2 ${process.pid}`)
    }
  },
  'the last of several signals': {
    type: 'signal',
    ready: ['observed'],
    once: true,
    begin: (done) => {
      const signals = ['SIGUSR2', 'SIGHUP', 'SIGWINCH']
      let left = signals.length
      for (const signal of signals) process.once(signal, () => { if (--left === 0) done() })
      for (const signal of signals) process.kill(process.pid, signal)
    }
  },

  'a worker answers': {
    prepare: () => { echoWorker = workerOf("parentPort.on('message', (m) => { pause(); parentPort.postMessage(Number(process.hrtime.bigint())) })"); echoWorker.unref() },
    type: 'message',
    ready: ['observed', 'upper-bound'],
    by: 'itself',
    cause: 'none',
    begin: (done) => { echoWorker.once('message', (at) => done(null, at)); echoWorker.postMessage('x') }
  },
  'a broadcast': {
    prepare: () => {
      const { BroadcastChannel } = require('node:worker_threads')
      broadcaster = new BroadcastChannel('ways').unref()
      workerOf("const channel = new BroadcastChannel('ways'); channel.onmessage = ({ data }) => { if (data === 'ask') { pause(); channel.postMessage(Number(process.hrtime.bigint())) } }").unref()
    },
    type: 'message',
    ready: ['observed', 'upper-bound'],
    by: 'itself',
    cause: 'none',
    begin: (done) => { broadcaster.onmessage = ({ data }) => done(null, data); broadcaster.postMessage('ask') }
  },
  'a port of one thread': {
    type: 'message',
    ready: ['observed', 'upper-bound'],
    by: 'at once',
    once: true,
    begin: (done) => {
      const { port1, port2 } = new MessageChannel()
      port2.onmessage = () => { done(); port2.close() }
      port1.postMessage('x')
    }
  },
  'a worker ends': {
    type: 'message',
    ready: ['observed', 'upper-bound'],
    once: true,
    begin: (done) => workerOf('pause()').on('exit', () => done())
  },
  'Atomics.waitAsync': delayed((done) => waitFor(DELAY).then(done)),
  'Atomics.waitAsync before a timer': delayed((done) => {
    setTimeout(() => {}, 1.5 * DELAY)
    waitFor(DELAY).then(done)
  }),
  'Atomics.waitAsync after others': delayed((done) => {
    waitFor(DELAY / 2)
    setTimeout(() => {}, 0.75 * DELAY)
    waitFor(DELAY).then(done)
  }),
  'WebAssembly.compile': { type: 'message', ready: ['observed', 'upper-bound'], once: true, begin: (done) => WebAssembly.compile(WASM).then(() => done(), done) }
}

module.exports = { partnersTimes, ways }
