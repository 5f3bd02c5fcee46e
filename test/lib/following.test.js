'use strict'

// When a server's promises begin to be followed: with the first thing that
// several requests can share. A promise that is followed carries a stamp.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const test = require('node:test')
const { send } = require('../../lib/control')

/**
 * Runs a recorded server, asks it, and has it say what it sees.
 * @param {any} t
 * @param {object} program sources
 * @param {string} [program.before] runs when the server listens and edgewise records
 * @param {string} program.handler of `request` and `response`
 * @param {number} [program.requests] one after the other
 * @param {boolean} [program.together] all at once
 * @param {boolean} [program.commanded] edgewise records as from `edgewise on`
 * @returns {Promise<string>} whether promises were followed, and still when edgewise had stopped
 */
async function serve (t, { before = '', handler, requests = 1, together = false, commanded = false }) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-following-'))
  const script = `
    const http = require('node:http')
    const net = require('node:net')
    const edgewise = require(${JSON.stringify(path.join(__dirname, '../../lib'))})
    const print = (text) => require('node:fs').writeSync(1, text + '\\n')
    const isFollowed = () => require(${JSON.stringify(path.join(__dirname, '../../lib/instrument/promises/promises'))}).Stamped.sliceOf(new Promise(() => {})) !== undefined
    const waiting = []
    const server = http.createServer((request, response) => {
      if (request.url !== '/say') { ${handler}; return }
      const followed = isFollowed() ? 'followed' : 'not followed'
      edgewise.stop()
      print(followed + ', ' + (isFollowed() ? 'still after it' : 'not after it'))
      process.exit()
    })
    server.listen(0, '127.0.0.1', () => {
      if (!${commanded}) edgewise.start({ out: ${JSON.stringify(out)} })
      ${before}
      setTimeout(() => print(server.address().port), 0)
    })`
  const loaded = ['--require', path.join(__dirname, '../../lib/register.js')]
  const env = { ...process.env, EDGEWISE_ENABLED: '0', EDGEWISE_OUT: out }
  const child = spawn(process.execPath, [...commanded ? loaded : [], '--expose-gc', '-e', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const over = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await over
    fs.rmSync(out, { recursive: true, force: true })
  })
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const port = Number((await lines.next()).value)
  if (commanded) await send(child.pid, 'on')
  if (together) await Promise.all(Array.from({ length: requests }, () => ask(port)))
  else for (let i = 0; i < requests; i++) await ask(port)
  http.get({ port, path: '/say', agent: false }).on('error', () => {}) // It is not answered.
  return (await lines.next()).value
}

async function ask (port) {
  const [response] = await once(http.get({ port, agent: false }), 'response')
  await response.resume().toArray()
}

const AT_ONCE = 'response.end()'

/** @type {[string, Parameters<typeof serve>[1], boolean][]} */
const SERVERS = [
  ['answers at once', { handler: AT_ONCE, requests: 3 }, false],
  ['is switched on later', { commanded: true, handler: AT_ONCE, requests: 3 }, false],
  ['answers in a microtask', { handler: 'Promise.resolve().then(() => response.end())', requests: 3 }, false],
  ['answers in a tick', { handler: 'process.nextTick(() => response.end())', requests: 3 }, false],
  ['collects garbage meanwhile', { handler: `gc(); ${AT_ONCE}`, requests: 3 }, false],
  ['has set a timer that is over', { before: 'setTimeout(() => {}, 1)', handler: AT_ONCE }, false],
  ['answers in a later event', { handler: 'require("node:fs").stat("/", () => response.end())' }, true],
  ['has two requests open', { handler: 'waiting.push(response); if (waiting.length > 1) for (const one of waiting) one.end()', requests: 2, together: true }, true],
  ['connects', { handler: `net.connect(server.address().port, '127.0.0.1').on('error', () => {}).unref(); ${AT_ONCE}` }, true],
  ['has connected a socket of its own', { before: "new net.Socket().connect(server.address().port, '127.0.0.1').unref()", handler: AT_ONCE }, true],
  ['opens a datagram socket', { handler: `require("node:dgram").createSocket("udp4").bind(0).unref(); ${AT_ONCE}` }, true],
  ['sets a timer', { handler: `setTimeout(() => {}, 1); ${AT_ONCE}` }, true],
  ['sets one to await', { handler: `require("node:timers/promises").setTimeout(1); ${AT_ONCE}` }, true],
  ['has an interval', { before: 'setInterval(() => {}, 1e6)', handler: AT_ONCE }, true],
  ['posts a message', { handler: `new MessageChannel().port1.postMessage(1); ${AT_ONCE}` }, true],
  ['starts a process', { handler: `require("node:child_process").spawn("true").unref(); ${AT_ONCE}` }, true],
  ['serves requests that are none of HTTP', { handler: `edgewise.request("own", () => {}); ${AT_ONCE}` }, true]
]

for (const [name, program, followed] of SERVERS) {
  const expected = followed ? 'followed' : 'not followed'
  test(`a server that ${name}: its promises are ${expected}`, async (t) => {
    assert.equal(await serve(t, program), `${expected}, not after it`)
  })
}
