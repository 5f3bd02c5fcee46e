'use strict'

// A bare server: answers at once, after a timer, after a file was read. What
// ends the process is asked for by path.

const { execFileSync } = require('node:child_process')
const channels = require('node:diagnostics_channel')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const { serving } = require('./serving')

const handlers = {
  user: (request, response) => response.end('user\n'),
  timer: (request, response) => setTimeout(() => response.end('timer\n'), 3),
  later: (request, response) => setTimeout(() => response.end('later\n'), 100),
  file: (request, response) => fs.readFile(__filename, () => response.end('file\n')),
  // For as many ms.
  busy: (request, response) => {
    const end = Date.now() + Number(request.url.split('/')[2])
    while (Date.now() < end);
    response.end('busy\n')
  },
  collect: (request, response) => {
    globalThis.gc()
    response.end('collected\n')
  },
  // What of edgewise an HTTP request meets here.
  instrumented: (request, response) => response.end(JSON.stringify({
    subscribed: ['http.server.request.start', 'http.server.response.finish'].some((name) => channels.hasSubscribers(name)),
    wrapped: http.ServerResponse.prototype.end !== http.OutgoingMessage.prototype.end
  })),
  pid: (request, response) => response.end(`${process.pid}\n`),
  signal: (request, response) => {
    process.kill(process.pid, request.url.split('/')[2])
    setTimeout(() => response.end('alive\n'), 200)
  },
  // As those do who tidy up before they end.
  once: (request, response) => {
    const signal = request.url.split('/')[2]
    process.once(signal, () => process.kill(process.pid, signal))
    response.end('ready\n')
  },
  // Works, waits for a child process, works again.
  spawn: (request, response) => {
    for (let half = 0; half < 2; half++) {
      const end = Date.now() + 20
      while (Date.now() < end);
      if (half === 0) execFileSync('true')
    }
    response.end('spawned\n')
  },
  // Makes a connection, is sent something on it, and ends it.
  outgoing: (request, response) => {
    const { port } = /** @type {any} */ (server.address())
    const outgoing = net.connect(port, '127.0.0.1', () => outgoing.write('GET /pid HTTP/1.1\r\nhost: x\r\n\r\n'))
    outgoing.once('data', () => setTimeout(() => {
      const { fd } = outgoing._handle
      outgoing.once('close', () => setTimeout(() => response.end(String(fd)), 50))
      outgoing.destroy()
    }, 20))
  },
  // Writes files and reads them, whose numbers connections may have had.
  files: (request, response) => {
    const files = Array.from({ length: 20 }, (_, index) => {
      const file = `file-${index}`
      const fd = fs.openSync(file, 'w')
      fs.writeSync(fd, 'one ')
      fs.writevSync(fd, [Buffer.from('two '), Buffer.from('three')])
      return { file, fd }
    })
    for (const { fd } of files) fs.closeSync(fd)
    const read = files.map(({ file }) => {
      const fd = fs.openSync(file, 'r')
      return { fd, text: fs.readFileSync(fd, 'utf8') }
    })
    for (const { fd } of read) fs.closeSync(fd)
    response.end(JSON.stringify({ written: files.map(({ fd }) => fd), read }))
  },
  // Parts of such sizes, handed to the kernel together.
  parts: (request, response) => {
    response.cork()
    for (const [i, size] of request.url.split('/')[2].split(',').entries()) response.write(Buffer.alloc(Number(size), 97 + i))
    response.uncork()
    response.end()
  },
  // How often this thread has asked the kernel to read and write a file, by now.
  calls: (request, response) => {
    const io = fs.readFileSync('/proc/thread-self/io', 'utf8')
    response.end(JSON.stringify({ fd: request.socket._handle.fd, reads: Number(/syscr: (\d+)/.exec(io)?.[1]), writes: Number(/syscw: (\d+)/.exec(io)?.[1]) }))
  },
  // The connection's number, and how many wait for it: the loop, and perhaps the ready-time watcher.
  watchers: (request, response) => {
    const { fd } = request.socket._handle
    const infos = fs.readdirSync('/proc/self/fdinfo').map((name) => {
      try {
        return fs.readFileSync(`/proc/self/fdinfo/${name}`, 'utf8')
      } catch {
        return ''
      }
    })
    const waiting = infos.filter((info) => new RegExp(`^tfd: +${fd} `, 'm').test(info)).length
    response.end(JSON.stringify({ fd, waiting }))
  },
  // Of that many bytes, what is sent back.
  echo: (request, response) => request.pipe(response),
  sandbox: (request, response) => {
    /** @type {any} */ (globalThis).enterSandbox()
    response.end('within\n')
  },
  dump: (request, response) => {
    require('../../../lib').dump()
    response.end('dumped\n')
  },
  exit: (request, response) => {
    response.end('bye\n')
    setTimeout(() => process.exit(3), 20)
  },
  // As those do who want nobody's listener at their end.
  leave: (request, response) => {
    response.end('bye\n')
    const way = request.url.split('/')[2]
    setTimeout(() => {
      process.removeAllListeners()
      if (way === 'throw') throw new Error('meant to be uncaught')
      if (way === 'abort') process.abort()
      if (way === 'reallyExit') /** @type {any} */ (process).reallyExit(3)
      process.exit(3)
    }, 20)
  },
  throw: (request, response) => {
    response.end('bye\n')
    setTimeout(() => { throw new Error('meant to be uncaught') }, 20)
  }
}

if (process.env.ON_SIGNAL) process.on(process.env.ON_SIGNAL, () => {})

const server = http.createServer((request, response) => {
  const name = request.url.split(/[/?]/)[1]
  const handler = handlers[name]
  if (handler) handler(request, response)
  else response.writeHead(404).end('nothing here\n')
})
const { PORT = '0', SOCKET } = process.env
serving(SOCKET ? server.listen(SOCKET) : server.listen(Number(PORT), '127.0.0.1'))
