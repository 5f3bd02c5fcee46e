'use strict'

// The program edgewise-poker beside a service (src/poke/poker.h). A timer of
// Node's is a millisecond off; it is microseconds off, and goes on pausing on
// time while we are busy.

const { spawn } = require('node:child_process')
const { eachLine } = require('./lines')

/** @typedef {{ rounds: number, pauses: number, pausedNs: number, owedNs: number, longestNs: number }} Done */

const ANSWER_MS = 5000
/** Until its watchdog is told to end it by force. */
const END_MS = 2000

class Poker {
  /** @type {string | undefined} why it has ended */
  ended
  /** @type {((line: string) => void)[]} */
  #waiting = []
  #process
  #pids

  /**
   * @param {string} program
   * @param {{ name: string, socket: string, neighbours: string[], counted: string[], pids: number[] }} options counted: control
   *   sockets of the processes whose requests make the rounds; pids: those that it pauses
   */
  constructor (program, { name, socket, neighbours, counted, pids }) {
    this.name = name
    this.#pids = pids
    const args = ['--socket', socket, ...neighbours.flatMap((each) => ['--neighbour', each]), ...counted.flatMap((each) => ['--counted', each]), ...pids.map(String)]
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    let said = ''
    this.#process.stderr.setEncoding('utf8').on('data', (text) => { said += text })
    this.#process.once('error', (error) => this.#over(error.message))
    this.#process.once('close', (code, signal) => this.#over(said.trim() || `it ended with ${signal ?? `exit code ${code}`}`))
    this.#process.stdin.on('error', () => {}) // It has ended, which is told by itself.
    eachLine(this.#process.stdout, (line) => this.#waiting.shift()?.(line))
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => this.#process.once('close', () => resolve()))
  }

  get pid () {
    return this.#process.pid
  }

  /** Should its watchdog have been killed with it, nothing stays stopped all the same. */
  #over (/** @type {string} */ why) {
    this.ended ??= why
    for (const pid of this.#pids) goOn(pid)
    for (const answer of this.#waiting.splice(0)) answer(`error ${why}`)
  }

  /** @param {number} run @param {number} pauseNs a round */
  arm (run, pauseNs) {
    return this.#ask(`arm ${run} ${pauseNs}`)
  }

  /** @param {number} every requests a round */
  follow (every) {
    return this.#ask(`follow ${every}`)
  }

  /** @returns {Promise<Done>} */
  async disarm () {
    return parseDone(await this.#ask('disarm'))
  }

  /** @returns {Promise<Done>} */
  async read () {
    return parseDone(await this.#ask('read'))
  }

  /** @param {string} command @returns {Promise<string>} */
  async #ask (command) {
    if (this.ended !== undefined) throw new Error(`the poker beside ${this.name}: ${this.ended}`)
    const line = await new Promise((resolve) => {
      const timer = setTimeout(() => resolve('error it does not answer'), ANSWER_MS)
      this.#waiting.push((answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      this.#process.stdin.write(`${command}\n`)
    })
    if (line.startsWith('error ')) throw new Error(`the poker beside ${this.name}: ${line.slice('error '.length)}`)
    return line
  }

  /** Its service goes on. */
  async close () {
    this.#process.stdin.end()
    const hangs = setTimeout(() => this.#process.kill('SIGTERM'), END_MS)
    await this.over
    clearTimeout(hangs)
  }
}

/** @param {string} line of Poker::Status() @returns {Done} */
function parseDone (line) {
  const words = line.split(' ')
  const of = (/** @type {string} */ name) => Number(words[words.indexOf(name) + 1])
  return { rounds: of('rounds'), pauses: of('pauses'), pausedNs: of('paused_ns'), owedNs: of('owed_ns'), longestNs: of('longest_ns') }
}

/** @param {number} pid */
function goOn (pid) {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {} // It has ended.
}

/** How many neighbours a poker tells: few, so that it pauses soon itself. */
const TOLD = 4

/**
 * Whom each poker tells of a round, the first being where rounds begin: each is told once, after few steps.
 * @param {string[]} sockets
 * @returns {string[][]} of each, its neighbours'
 */
function neighbourhoods (sockets) {
  return sockets.map((_, i) => sockets.slice(TOLD * i + 1, TOLD * i + 1 + TOLD))
}

module.exports = { Poker, neighbourhoods }
