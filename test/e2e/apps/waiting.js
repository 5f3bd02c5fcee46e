'use strict'

// Waits for what the test holds back, or lets go.

const { fork, spawn } = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const path = require('node:path')
const zlib = require('node:zlib')
const edgewise = require('../../../lib')
const { serving } = require('./serving')

const HELD_S = '0.12'
const ca = fs.readFileSync(path.join(__dirname, 'tls/certificate.pem'))
/** @type {Record<string, any>} */
const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) }
/** @type {any} */
let session = null
const fifo = process.env.FIFO ?? ''
const directory = path.join(process.cwd(), 'shelf', 'box')
fs.mkdirSync(directory, { recursive: true })
const file = path.join(directory, 'sw0rdfish.json')
fs.writeFileSync(file, '{}')

/** For some milliseconds a thread of the pool has other work. */
function holdPool () {
  crypto.pbkdf2('held', 'salt', 10_000, 64, 'sha512', () => {})
}

// By callbacks and by promises; a file of more than Node reads at once.
const big = path.join(directory, 'big')
fs.writeFileSync(big, Buffer.alloc(1 << 20))
const copy = path.join(process.cwd(), 'shelf', 'copy')
/** @type {Record<string, (done: () => void) => any>} */
const wholes = {
  readFile: (done) => fs.readFile(file, done),
  bigReadFile: (done) => fs.readFile(big, done),
  readFilePromise: (done) => fs.promises.readFile(file).then(done),
  writeFile: (done) => fs.writeFile(path.join(directory, 'written'), 'text', done),
  writeFilePromise: (done) => fs.promises.writeFile(path.join(directory, 'written'), 'text').then(done),
  appendFile: (done) => fs.appendFile(path.join(directory, 'written'), 'text', done),
  cp: (done) => fs.cp(directory, copy, { recursive: true }, done),
  cpPromise: (done) => fs.promises.cp(directory, copy, { recursive: true }).then(done),
  readdir: (done) => fs.readdir(path.dirname(directory), { recursive: true }, done),
  opendir: (done) => fs.opendir(directory, (_, found) => found.read(() => found.close(done))),
  opendirSync: (done) => {
    const found = fs.opendirSync(directory)
    found.read(() => found.close(done))
  },
  readdirPromise: (done) => fs.promises.readdir(path.dirname(directory), { recursive: true }).then(done)
}

const handlers = {
  // Until somebody opens the other end. When that, and a read, was asked for: CLOCK_MONOTONIC, ns.
  blocked: (request, response) => {
    const asked = process.hrtime.bigint()
    fs.open(fifo, 'r', (_, fd) => fs.close(fd, () => response.end(String(asked))))
  },
  read: (request, response) => {
    const asked = process.hrtime.bigint()
    fs.readFile(file, () => response.end(String(asked)))
  },
  // /whole/FUNCTION: one that works on a whole file or directory.
  whole: (request, response) => {
    const name = request.url.split('/')[2]
    holdPool()
    wholes[name](() => response.end(name))
  },
  // A job of each kind: Node's own, and an addon's.
  hashed: (request, response) => crypto.pbkdf2('known', 'salt', 10_000, 64, 'sha512', () => response.end('hashed')),
  deflated: (request, response) => zlib.deflate(Buffer.alloc(1 << 18), () => response.end('deflated')),
  analysed: async (request, response) => {
    // The first loads the addon, for longer than the job takes; so may a busy machine.
    for (let i = 0; i < 12; i++) await edgewise.reportAsync(String(process.env.EDGEWISE_OUT))
    response.end('analysed')
  },
  // V8 itself goes on with it: nothing enters JavaScript for it.
  tasked: async (request, response) => {
    for (let i = 0; i < 2; i++) {
      await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20).value
      for (const end = Date.now() + 15; Date.now() < end;);
    }
    response.end('tasked')
  },
  // When the pool has closed it, the loop opens another that gets its number, before it hears of that.
  reopened: (request, response) => fs.open(file, (_, fd) => {
    let another = -1
    holdPool()
    fs.close(fd, () => {
      if (another >= 0) fs.closeSync(another) // Else the timer was late.
      response.end(String(another === fd))
    })
    setTimeout(() => {
      for (const end = performance.now() + 60; performance.now() < end;);
      another = fs.openSync('/etc/hostname')
    }, 1)
  }),
  // A program that says nothing, one that does before it ends, and one that says so by a message.
  ended: (request, response) => spawn('/bin/sleep', [HELD_S], { stdio: 'ignore' }).on('exit', () => response.end('ended')),
  said: (request, response) => {
    const child = spawn('sh', ['-c', `sleep ${HELD_S}; echo sw0rdfish; sleep 1`])
    child.stdout.once('data', () => response.end('said'))
  },
  messaged: (request, response) => {
    const child = fork(path.join(__dirname, 'fixtures/telling.js'), [HELD_S], { execArgv: [], env: {} })
    child.once('message', () => response.end('messaged'))
  },
  // /called/PROTOCOL/PORT/...: what is asked of a server by name.
  called: (request, response) => {
    const [, , protocol, port, ...asked] = request.url.split('/')
    const client = { http, https }[protocol]
    const sent = client.request({ agent: agents[protocol], host: 'localhost', family: 4, port, path: `/${asked.join('/')}?token=sw0rdfish`, ca }, (/** @type {any} */ answer) => answer.resume().on('end', () => response.end('called')))
    sent.end()
  },
  fetched: (request, response) => {
    const [, , protocol, port, ...asked] = request.url.split('/')
    fetch(`${protocol}://localhost:${port}/${asked.join('/')}?token=sw0rdfish`).then((answer) => answer.text()).then(() => response.end('fetched'), (error) => response.end(String(error.cause)))
  },
  // A stream each of one session; whose names must not be mixed up.
  streamed: (request, response) => {
    const [, , port, ...asked] = request.url.split('/')
    session ??= require('node:http2').connect(`http://localhost:${port}`)
    const type = asked[0] === 'pets.Shop' ? { ':method': 'POST', 'content-type': 'application/grpc' } : {}
    session.request({ ':path': `/${asked.join('/')}?token=sw0rdfish`.replace(/^(.pets.*)\?.*/, '$1'), ...type }).resume().on('end', () => response.end('streamed')).end()
  },
  closed: (request, response) => {
    for (const agent of Object.values(agents)) agent.destroy()
    setTimeout(() => response.end('closed'), 50)
  },
  // Descriptors that were opened otherwise, and have the numbers of others. A pool of one thread has them wait.
  descriptors: (request, response) => {
    const [first, second] = [file, '/etc/hostname']
    holdPool()
    fs.open(first, (_, fd) => {
      fs.closeSync(fd)
      const again = fs.openSync(second)
      holdPool()
      fs.fstat(again, () => {
        fs.closeSync(again)
        response.end(String(fd === again))
      })
    })
  }
}

const server = http.createServer((request, response) => handlers[/** @type {string} */ (request.url).split('/')[1]](request, response))
server.listen(0, '127.0.0.1')
serving(server)
