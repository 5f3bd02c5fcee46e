'use strict'

// What a program can wait for. An operation begins in the stretch that calls it
// and calls back once: `done(error, info)` with what the ledger must know of
// what resumed it. Those of promises stay promises until their last `then`.

const crypto = require('node:crypto')
const dns = require('node:dns')
const { EventEmitter, once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const timers = require('node:timers/promises')
const zlib = require('node:zlib')
const { dueAfter } = require('./clock')
const { mark } = require('./ledger')
const { LinePool } = require('./line-pool')

/** @typedef {{ kind: string, ready: import('./ledger').Ready, status?: number, passed?: [string, import('./ledger').Ready, import('./ledger').Mark][] }} Info */

const BELL_MS = 20
const PBKDF2_A_MS = 800
const DEFLATE_BYTES = 300_000

const bell = new EventEmitter().setMaxListeners(0)
/** Who rings, while the bell does. @type {import('./ledger').Ready} */
let ringing = { is: 'emitted', by: null, at: 0 }

/** Rings for those who would wait for ever. @param {import('./ledger').Branch} branch of no request's */
function keepRinging (branch) {
  const due = dueAfter(BELL_MS)
  setTimeout(() => {
    ringing = { is: 'emitted', by: null, at: due }
    branch.enter('bell', { is: 'due', at: due })
    branch.calling(() => bell.emit('ring'))
    branch.leave()
    keepRinging(branch)
  }, BELL_MS).unref()
}

/** @param {import('./ledger').Branch} branch whose stretch emits */
function ring (branch) {
  ringing = { is: 'emitted', by: branch.account.id, of: branch.at }
  branch.calling(() => bell.emit('ring'))
}

const promised = (promise, info, done) => promise.then(() => done(null, info()), (error) => done(error, info()))

class Operations {
  /** @param {{ web: number, lines: number, file: string }} backend @param {string} file to be read */
  constructor (backend, file) {
    this.backend = backend
    this.toRead = file
    this.asked = 0
    /** The last of each HTTP connection. */
    this.lastQuestions = new WeakMap()
    this.payload = crypto.randomBytes(DEFLATE_BYTES)
    this.agents = { 'http-new': false, 'http-name': false, 'http-kept': new http.Agent({ keepAlive: true }), 'http-limited': new http.Agent({ keepAlive: true, maxSockets: 1 }) }
    this.pools = { 'line-tcp': new LinePool({ port: backend.lines, host: '127.0.0.1' }, 2), 'line-unix': new LinePool({ path: backend.file }, 1) }
  }

  /**
   * @param {import('./plan').Step} step
   * @param {'await' | 'callback'} style of the program: what emits and the pools resume a promise, or a function kept in a queue
   * @param {(error: Error | null, info: Info) => void} done
   */
  start (step, style, done) {
    const named = { timer: 'timer', file: 'file', pool: 'job', call: 'call', emit: 'wait', abort: 'abort', retry: 'call' }[step.do]
    this[/** @type {string} */ (named)](step, style, done)
  }

  timer ({ how, ms = 1 }, style, done) {
    if (how === 'tick') return process.nextTick(() => done(null, { kind: 'tick', ready: { is: 'own' } }))
    if (how === 'immediate') return setImmediate(() => done(null, { kind: 'immediate', ready: { is: 'own' } }))
    const info = { kind: 'timer', ready: { is: 'due', at: dueAfter(ms) } }
    if (how === 'promises') promised(timers.setTimeout(ms), () => info, done)
    else setTimeout(() => done(null, info), ms)
  }

  file ({ how }, style, done) {
    const info = { kind: `file ${how}`, ready: { is: how.endsWith('stat') ? 'job' : 'jobs' } }
    const [last, first] = how.split('.').reverse()
    if (first) promised(fs.promises[last](this.toRead), () => info, done)
    else fs[last](this.toRead, (error) => done(error, info))
  }

  job ({ how, ms }, style, done) {
    const info = { kind: `pool ${how}`, ready: { is: how === 'deflate' ? 'jobs' : 'job' } }
    const then = (error) => done(error, info)
    if (how === 'pbkdf2') crypto.pbkdf2('secret', 'salt', ms * PBKDF2_A_MS, 32, 'sha1', then)
    else if (how === 'deflate') zlib.deflate(this.payload.subarray(0, ms * 15_000), then)
    else dns.lookup('localhost', { family: 4 }, then)
  }

  /** @param {number} [status] that the backend is to answer */
  call ({ how, ms }, style, done, status = 200, signal = undefined) {
    const question = `q${++this.asked}`
    const ready = { is: 'answer', question }
    if (how.startsWith('line')) {
      const kind = style === 'await' ? how : `${how} callback`
      return this.pools[how].ask(question, ms, status, (answered, read) => done(null, { kind, ready: { ...ready, read: `${how} ${read}` }, status: answered }))
    }
    if (how === 'fetch') return this.#fetch(question, ms, status, signal, done)
    this.#get(how, question, ms, status, signal, done)
  }

  #fetch (question, ms, status, signal, done) {
    const info = { kind: 'fetch', ready: { is: 'answer', question, unseen: true }, status }
    promised(fetch(`http://127.0.0.1:${this.backend.web}/${question}/${ms}/${status}`, { signal }).then((response) => response.text()), () => info, done)
  }

  #get (how, question, ms, status, signal, done) {
    const named = how === 'http-name'
    /** @type {Info['passed']} */
    const passed = []
    const info = { kind: how, ready: { is: 'answer', question }, status, passed }
    const request = http.get({ host: named ? 'localhost' : '127.0.0.1', family: 4, port: this.backend.web, agent: this.agents[how], path: `/${question}/${ms}/${status}`, signal })
    request.once('socket', (socket) => {
      const before = this.lastQuestions.get(socket)
      this.lastQuestions.set(socket, question)
      // It may have waited for the answer to another's question, or for a tick, in which the question leaves.
      if (how === 'http-limited' && before) passed.push(['assigned', { is: 'answer', question: before }, mark()])
      else if (!socket.connecting) passed.push(['assigned', { is: 'own' }, mark()])
      if (!socket.connecting) return
      if (named) socket.once('lookup', () => passed.push(['lookup', { is: 'job' }, mark()]))
      socket.once('connect', () => passed.push(['connect', { is: 'own' }, mark()]))
    })
    request.once('response', (response) => response.resume().once('end', () => done(null, info)))
    request.once('error', (error) => done(error, info))
  }

  wait (step, style, done) {
    const info = () => ({ kind: style === 'await' ? 'emit' : 'emit callback', ready: ringing })
    if (style === 'await') promised(once(bell, 'ring'), info, done)
    else bell.once('ring', () => done(null, info()))
  }

  /** An operation that takes longer than its caller has patience. */
  abort ({ how, ms, after }, style, done) {
    const controller = new AbortController()
    const info = { kind: `abort ${how}`, ready: { is: 'due', at: dueAfter(after) } }
    setTimeout(() => controller.abort(), after)
    const ended = (error) => done(error?.name === 'AbortError' ? null : error ?? new Error('it was not aborted'), info)
    if (how === 'timer') promised(timers.setTimeout(ms, undefined, { signal: controller.signal }), () => info, ended)
    else this.call({ how: how === 'http' ? 'http-kept' : how, ms }, style, ended, 200, controller.signal)
  }

  close () {
    for (const pool of Object.values(this.pools)) pool.close()
    for (const agent of Object.values(this.agents)) if (agent) agent.destroy()
  }
}

module.exports = { Operations, keepRinging, ring }
