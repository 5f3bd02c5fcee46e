'use strict'

// What the server of the random programs knows of itself: each stretch of
// synchronous execution of each request, and what had to happen before it. It
// uses the clock alone, and nothing of the recorder's.

const fs = require('node:fs')
const { now } = require('./clock')

/**
 * When what resumed a stretch was ready; other processes know the rest.
 * - own: as soon as what had caused it had ended
 * - due: `at` this time (ns)
 * - answer: when the backend had answered `question`; it came with the `read`, in which others may have come; unseen: when the question left is
 * - sent: when the client had sent the bytes from `first` to `last` of the body
 * - job: a job of the thread pool, which ended at some time
 * - jobs: several, one after the other
 * - emitted: with the stretch `of` of the request `by`, which emitted; by null: at `at`
 *
 * @typedef {{ is: 'own' | 'due' | 'answer' | 'sent' | 'job' | 'jobs' | 'emitted', at?: number, question?: string, read?: string, unseen?: boolean, first?: number, last?: number, by?: number | null, of?: number }} Ready
 *
 * @typedef {object} Stretch
 * @property {number} parent the stretch that caused it; -1: the request's arrival
 * @property {string} kind of what the request had waited for
 * @property {Ready} ready
 * @property {number} [since] when what it had waited for was begun, within the stretch that caused it; others' branches may have run in that one afterwards
 * @property {number} begin ns, CLOCK_MONOTONIC
 * @property {number} end
 * @property {number} offBegin time that this thread had been runnable but not run, at its begin, ns
 * @property {number} offEnd
 * @property {number} slept time that the loop had slept, at its begin, ns
 */

const schedule = fs.openSync('/proc/thread-self/schedstat', 'r')
const text = Buffer.alloc(64)

/** @returns {number} how long this thread has had to wait for a processor, ns */
function offProcessor () {
  const length = fs.readSync(schedule, text, 0, text.length, 0)
  return Number(text.toString('latin1', 0, length).split(' ')[1])
}

/** @returns {number} how long this loop has slept, the time until it was awake again included, ns */
function slept () {
  return Math.round(performance.eventLoopUtilization().idle * 1e6)
}

/** @typedef {{ begin: number, off: number, slept: number }} Mark now, by three clocks */

/** @returns {Mark} */
function mark () {
  return { begin: now(), off: offProcessor(), slept: slept() }
}

class Ledger {
  constructor () {
    /** @type {any[]} one a request */
    this.accounts = []
    /** @type {Stretch | null} the one that ran last */
    this.last = null
  }

  /** @param {number | string} id of the program; a name for what is of no request @returns {Branch} */
  open (id) {
    /** @type {Stretch[]} */
    const stretches = []
    const account = { id, stretches, final: -1, answering: null, ended: null, closed: null }
    this.accounts.push(account)
    return new Branch(this, account, -1)
  }
}

/** One line of a request's execution; all, any and race have several. */
class Branch {
  constructor (ledger, account, at) {
    this.ledger = ledger
    this.account = account
    /** The stretch that runs, or ran last. */
    this.at = at
    /** @type {number | undefined} */
    this.asked = undefined
  }

  /** Begins what it waits for next. */
  ask () {
    this.asked = now()
  }

  fork () {
    return new Branch(this.ledger, this.account, this.at)
  }

  /**
   * A stretch begins, which what ran before on this branch has caused.
   * @param {string} kind
   * @param {Ready} ready
   * @param {Mark} [at] now; earlier for an event that showed the program little of its own
   */
  enter (kind, ready, { begin, off, slept } = mark()) {
    const stretch = { parent: this.at, kind, ready, since: this.asked, begin, end: begin, offBegin: off, offEnd: off, slept }
    this.at = this.account.stretches.push(stretch) - 1
    this.ledger.last = stretch
    this.asked = undefined
  }

  /** It waits: its stretch ends here, and what it has begun is told by the next `enter`. */
  leave () {
    const stretch = this.account.stretches[this.at]
    stretch.offEnd = offProcessor()
    stretch.end = now()
  }

  /** Its promise's reactions, and others', run now. */
  pause () {
    const stretch = this.account.stretches[this.at]
    if (this.ledger.last === stretch) this.leave()
  }

  /** Goes on at once, in the stretch in which this branch is; if others ran in between, it has waited for them. */
  resume () {
    if (this.ledger.last !== this.account.stretches[this.at]) this.enter('resolved', { is: 'own' })
  }

  /** Calls functions of other requests, whose stretches lie within this one. */
  calling (functions) {
    const stretch = this.ledger.last
    functions()
    this.ledger.last = stretch
  }
}

module.exports = { Ledger, mark }
